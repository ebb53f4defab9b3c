import type { Chunk, ScoredChunk } from '../chunk/chunk-markdown.ts';
import { chunkPage } from '../chunk/known-chunks.ts';
import { readPage } from '../passages/score-passages.ts';
import type { Query } from '../query/read-query.ts';
import { scoreChunks } from './score-chunks.ts';

/** The text that parts are made from; `language` picks the stemmer, null when unknown. */
export type PageText = { markdown: string; language: string | null };

/** A page prepared for any number of questions: while it is kept, everything read from it stays cached. */
export type ChunkedPage = PageText & { chunks: readonly Chunk[] };

/** Splits a page into chunks and reads their terms: all of the work that does not depend on the question. */
export function preparePage({ markdown, language }: PageText): ChunkedPage {
  const chunks = chunkPage(markdown);
  return { markdown, language: readPage(chunks, language), chunks };
}

/** Scores the chunks of a prepared page for a question. */
export function scorePrepared({ chunks, language }: ChunkedPage, query: Query): ScoredChunk[] {
  return scoreChunks(chunks, query, language);
}
