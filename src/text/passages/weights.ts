import type { Feature } from './features.ts';

/** Written by eval/passages/train.ts. For English pages. */
export const WEIGHTS_WITH_VECTORS: Readonly<Record<Feature, number>> = {
  bm25: 0.398,
  phrases: 0.184,
  proximity: 0.125,
  relatives: 0.184,
  chunkMeaning: 0,
  sentenceMeaning: 0,
  labelMeaning: 0,
  length: 0,
  coverage: 1.753,
  sentence: 1.534,
  subject: 1.634,
  heading: 0.5,
  besides: 2.655,
  askedKind: 1.249,
  says: 0,
  code: 0,
  lead: 0.358,
  verdict: 0,
};

/** Written by eval/passages/train.ts. For pages in any other language. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  bm25: 0.558,
  phrases: 0.276,
  proximity: 0.092,
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
