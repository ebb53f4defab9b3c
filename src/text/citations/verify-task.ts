import { type FoundQuote, findQuotes } from './find-quote.ts';

export type VerifyTask = { markdown: string; quotes: string[] };

/** What a verifying thread does: where each quotation stands on a page. */
export function verifyTask({ markdown, quotes }: VerifyTask): FoundQuote[] {
  return findQuotes(markdown, quotes);
}
