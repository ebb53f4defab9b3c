import type { Feature } from './features.ts';

/** Written by eval/passages/train.ts. For English pages. */
export const WEIGHTS_WITH_VECTORS: Readonly<Record<Feature, number>> = {
  bm25: 0.631,
  phrases: 0.173,
  proximity: 0.09,
  sentenceBm25: -0.13,
  relatives: 0.2,
  chunkMeaning: 0.363,
  sentenceMeaning: 0.364,
  labelMeaning: 0.057,
  length: 0.105,
  coverage: 0.929,
  sentence: 0.514,
  subject: 0.613,
  heading: 0.263,
  besides: 1.351,
  askedKind: 0.773,
  says: 1.213,
  code: 0.391,
  lead: -0.089,
  verdict: 2.754,
};

/** Written by eval/passages/train.ts. For pages in any other language. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  bm25: 0.45,
  phrases: 0.293,
  proximity: 0.131,
  sentenceBm25: 0.417,
  relatives: 0.381,
  chunkMeaning: 0,
  sentenceMeaning: 0,
  labelMeaning: 0,
  length: 0,
  coverage: 1.848,
  sentence: 1.585,
  subject: 1.265,
  heading: 0.5,
  besides: 1.496,
  askedKind: 0.859,
  says: 0,
  code: 0,
  lead: 0.456,
  verdict: 0,
};
