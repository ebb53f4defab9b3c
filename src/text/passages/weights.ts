import type { Feature } from './features.ts';

/** Written by eval/passages/train.ts. For English pages. */
export const WEIGHTS_WITH_VECTORS: Readonly<Record<Feature, number>> = {
  bm25: 0.5,
  phrases: 0.165,
  proximity: 0.093,
  sentenceBm25: 0,
  relatives: 0.225,
  chunkMeaning: 0.339,
  sentenceMeaning: 0.373,
  labelMeaning: 0.067,
  length: 0.132,
  coverage: 0.888,
  sentence: 0.495,
  subject: 0.885,
  heading: 0.187,
  besides: 1.694,
  askedKind: 0.759,
  says: 0.843,
  code: 0.546,
  lead: -0.719,
  verdict: 3.316,
};

/** Written by eval/passages/train.ts. For pages in any other language. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  bm25: 0.558,
  phrases: 0.276,
  proximity: 0.092,
  sentenceBm25: 0.37,
  relatives: 0.384,
  chunkMeaning: 0,
  sentenceMeaning: 0,
  labelMeaning: 0,
  length: 0,
  coverage: 1.752,
  sentence: 1.597,
  subject: 1.287,
  heading: 0.5,
  besides: 1.434,
  askedKind: 1.131,
  says: 0,
  code: 0,
  lead: 0.497,
  verdict: 0,
};
