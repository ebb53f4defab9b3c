import type { AnswerPage, Quotation } from './quotation.ts';
import { quoteAnswer } from './quote-answer.ts';

export type AnswerTask = { query: string; pages: AnswerPage[] };

/** What an answering thread does: the quotation that answers the query, or null. */
export function answerTask({ query, pages }: AnswerTask): Quotation | null {
  return quoteAnswer(query, pages);
}
