import type { Feature } from './features.ts';

/** Written by eval/passages/train.ts. */
export const WEIGHTS: Record<Feature, number> = {
  bm25: 0.4,
  phrases: 0.19,
  proximity: 0.13,
  sentenceBm25: 0.28,
  relatives: 0.18,
  meanVector: 0.52,
  likeWords: 0.34,
  coverage: 1.76,
  sentence: 1.56,
  subject: 1.63,
  heading: 0.5,
  besides: 2.69,
  askedKind: 1.22,
  lead: 0.37,
};
