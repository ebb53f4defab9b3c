import type { FeatureRow } from './page-evidence.ts';

type Weights = Readonly<Record<'meant' | 'words', FeatureRow>>;

/** Written by eval/train-relevance.ts: the sum that orders the pages of a query. */
export const ORDER_WEIGHTS: Weights = {
  meant: {
    fed: 5.51,
    stretch: 1.16,
    narrow: 2.13,
    meaning: 6.1,
    named: 2.26,
    side: 2.66,
    longFed: 16.68,
    longStretch: 0.52,
    longNarrow: -0.52,
    longMeaning: -4.1,
  },
  words: {
    fed: 11.39,
    stretch: 0.93,
    narrow: 2.62,
    side: 3.24,
    longFed: 13.12,
    longStretch: 0.03,
    longNarrow: -0.8,
  },
};

/** Written by eval/train-relevance.ts: the logit of the probability that a person would call a page relevant. */
export const RELEVANCE_WEIGHTS: Weights = {
  meant: {
    stretch: 1.18,
    narrow: 0.44,
    meaning: 4.71,
    matched: 0.02,
    side: 1.49,
    site: 0.43,
    gatheredWeight: 0.24,
    longGathered: -0.17,
    long: 2.31,
    longMatched: -0.02,
    longLexical: -3.94,
    behindLexical: 3.59,
    behindStretch: 0.2,
    behindMeaning: 0.83,
    behindNamed: 2.71,
    behindTold: 1.28,
    behindWhole: 0.21,
    constant: -5.61,
  },
  words: {
    lexical: 0.76,
    stretch: 1.55,
    narrow: 0.11,
    side: 1.63,
    told: 0.58,
    site: 0.22,
    gatheredWeight: 0.38,
    longGathered: -0.27,
    long: 4.27,
    longMatched: -0.03,
    longLexical: -5.15,
    behindLexical: 8.19,
    behindTold: 0.52,
    constant: -6.01,
  },
};

/** Written by eval/train-relevance.ts: the same for a result of which only its title, its snippet and its address are known. */
export const SHOWN_WEIGHTS: Weights = {
  meant: {
    meaning: 4.55,
    matched: 0.06,
    side: 1.36,
    gathered: 0.27,
    whole: 0.71,
    site: 0.17,
    gatheredWeight: 0.07,
    longGathered: -0.04,
    long: 1.96,
    longMatched: -0.05,
    longLexical: -3.91,
    behindLexical: 0.52,
    behindStretch: 0.86,
    behindNamed: 2.83,
    behindTold: 0.91,
    constant: -5.31,
  },
  words: {
    lexical: 1.93,
    stretch: 0.59,
    side: 1.24,
    whole: 0.35,
    site: -0.15,
    gatheredWeight: 0.16,
    longGathered: -0.09,
    long: 2.85,
    longMatched: -0.01,
    longLexical: -3.78,
    behindLexical: 5.72,
    behindStretch: 0.15,
    behindTold: 0.46,
    behindWhole: 0.11,
    constant: -4.79,
  },
};
