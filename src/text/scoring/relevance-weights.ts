import type { FeatureRow } from './page-evidence.ts';

type Weights = Readonly<Record<'meant' | 'words', FeatureRow>>;

/** Written by eval/train-relevance.ts: the sum that orders the pages of a query. */
export const ORDER_WEIGHTS: Weights = {
  meant: {
    fed: 5.53,
    stretch: 1.085,
    narrow: 2.072,
    meaning: 6.164,
    named: 2.192,
    side: 2.399,
    longFed: 15.834,
    longStretch: 1.255,
    longNarrow: -0.586,
    longMeaning: -3.695,
  },
  words: {
    fed: 11.378,
    stretch: 0.912,
    narrow: 2.53,
    side: 2.55,
    longFed: 13.31,
    longStretch: 0.366,
    longNarrow: -0.744,
  },
};

/** Written by eval/train-relevance.ts: the logit of the probability that a person would call a page relevant. */
export const RELEVANCE_WEIGHTS: Weights = {
  meant: {
    narrow: 2.122,
    meaning: 5.131,
    matched: 0.143,
    side: 1.619,
    long: 1.704,
    longMatched: -0.107,
    longLexical: -3.12,
    behindLexical: 4.248,
    behindStretch: 1.538,
    behindMeaning: 0.589,
    behindNamed: 3.843,
    constant: -4.916,
  },
  words: {
    stretch: 0.598,
    narrow: 3.198,
    matched: 0.202,
    side: 1.822,
    long: 4.047,
    longMatched: -0.175,
    longLexical: -4.999,
    behindLexical: 11.265,
    behindStretch: 0.151,
    constant: -5.187,
  },
};
