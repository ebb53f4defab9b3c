import { type PageTokens, tokensOf } from '../index-tokens.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { modelName, vectorsOf } from '../vectors/page-vectors.ts';

/** What is made of a page before it is written, which costs more than writing it. `model`: what made the vectors. */
export type PreparedPage = { tokens: PageTokens; vectors: Uint8Array; model: string };

/** What a thread that prepares pages answers. */
export type PreparerCalls = { prepare(pages: IndexedPage[]): PreparedPage[] };

/** Reads a page. Throws if its address is none. */
export function preparePage(page: IndexedPage): PreparedPage {
  return { tokens: tokensOf(page), vectors: vectorsOf(page), model: modelName() };
}
