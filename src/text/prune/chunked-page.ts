import type { Chunk, ScoredChunk } from '../chunk/chunk.ts';
import { chunksOfPage } from '../chunk/known-chunks.ts';
import { readPage } from '../passages/score-passages.ts';
import type { Query } from '../query/read-query.ts';
import { scoreChunks } from './score-chunks.ts';

/** The text that parts are made from; `language` picks the stemmer, null when unknown. */
export type PageText = { markdown: string; language: string | null };

/** A page read for any number of questions: as long as it is kept, so is all that was read in it. */
export type ChunkedPage = PageText & { chunks: readonly Chunk[] };

/** Cuts a page into chunks and reads their terms: all of the work that does not depend on the question. */
export function preparePage({ markdown, language }: PageText): ChunkedPage {
  const chunks = chunksOfPage(markdown);
  return { markdown, language: readPage(chunks, language), chunks };
}

/** The chunks of a prepared page with their scores for a question. */
export function scorePrepared({ chunks, language }: ChunkedPage, query: Query): ScoredChunk[] {
  return scoreChunks(chunks, query, language);
}
