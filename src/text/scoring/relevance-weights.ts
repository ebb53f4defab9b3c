import type { FeatureRow } from './page-evidence.ts';

type Weights = Readonly<Record<'meant' | 'words', FeatureRow>>;

/** Written by eval/train-relevance.ts: the sum that orders the pages of a query. */
export const ORDER_WEIGHTS: Weights = {
  meant: {
    fed: 5.46,
    stretch: 1.15,
    narrow: 2.12,
    meaning: 6.12,
    named: 2.23,
    side: 2.67,
    longFed: 16.82,
    longStretch: 0.49,
    longNarrow: -0.36,
    longMeaning: -4.12,
  },
  words: {
    fed: 11.31,
    stretch: 0.97,
    narrow: 2.58,
    side: 3.26,
    longFed: 13.98,
    longStretch: -0.17,
    longNarrow: -0.6,
  },
};

/** Written by eval/train-relevance.ts: the logit of the probability that a person would call a page relevant. */
export const RELEVANCE_WEIGHTS: Weights = {
  meant: {
    narrow: 1.96,
    meaning: 5.71,
    matched: 0.17,
    side: 1.48,
    long: 2.34,
    longMatched: -0.14,
    longLexical: -4.6,
    behindLexical: 3.9,
    behindStretch: 1.39,
    behindMeaning: 0.1,
    behindNamed: 2.98,
    constant: -5.77,
  },
  words: {
    stretch: 0.74,
    narrow: 3.05,
    matched: 0.22,
    side: 1.7,
    long: 4.76,
    longMatched: -0.19,
    longLexical: -6.77,
    behindLexical: 9.38,
    behindStretch: 0.08,
    constant: -5.89,
  },
};
