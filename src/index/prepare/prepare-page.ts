import { type PageTokens, tokenizePage } from '../index-tokens.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { embedPage, readModelName } from '../vectors/page-vectors.ts';

/** The index entries of a page, made before it is written; making them costs more than writing. `model`: what made the vectors. */
export type PreparedPage = { tokens: PageTokens; vectors: Uint8Array; model: string };

/** The calls that a preparer thread serves. */
export type PreparerCalls = { prepare(pages: IndexedPage[]): PreparedPage[] };

/** Makes the index entries of a page. Throws if the page's address is invalid. */
export function preparePage(page: IndexedPage): PreparedPage {
  return { tokens: tokenizePage(page), vectors: embedPage(page), model: readModelName() };
}
