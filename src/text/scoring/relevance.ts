/**
 * Judges the pages of one query: their order, and the probability that a person would call each relevant. The weights are learned
 * by eval/train-relevance.ts. It sees evidence only (see page-evidence.ts); it reads no pages and drops none.
 */
import {
  buildOrderFeatures,
  buildRelevanceFeatures,
  chooseWeightsKind,
  computeLongness,
  type FeatureRow,
  findBestEvidence,
  type PageEvidence,
  sumWeighted,
} from './page-evidence.ts';
import type { Occurrences, WeightedTerm } from './score-page.ts';

/** Written by eval/train-relevance.ts: the sum that orders the pages of a query. */
const ORDER_WEIGHTS: Weights = {
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
const RELEVANCE_WEIGHTS: Weights = {
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
const SHOWN_WEIGHTS: Weights = {
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

/**
 * The judgement of a page: `order` compares pages for one query, `relevance` is the probability that a person would call the page
 * relevant.
 */
export type Judgement = { order: number; relevance: number };

/** A stretch with this share of the query's weight counts as having all of its words. */
const ALL_WORDS = 0.999;

/** Judges the pages of one query, in their order: by words and, where it is known, by meaning. */
export function judge(pages: readonly PageEvidence[]): Judgement[] {
  const best = findBestEvidence(pages);
  return pages.map((page) => {
    const kind = chooseWeightsKind(page);
    return {
      order: sumWeighted(buildOrderFeatures(page), ORDER_WEIGHTS[kind]),
      relevance: computeProbability(page, {
        best,
        weights: RELEVANCE_WEIGHTS,
        saysAll: containsAllWords(page),
      }),
    };
  });
}

type JudgeOptions = {
  best: ReturnType<typeof findBestEvidence>;
  weights: typeof RELEVANCE_WEIGHTS;
  saysAll: boolean;
};

function computeProbability(page: PageEvidence, { best, weights, saysAll }: JudgeOptions): number {
  const features = buildRelevanceFeatures(page, best);
  const logit = sumWeighted(features, weights[chooseWeightsKind(page)]);
  const logitByWords = saysAll ? sumWeighted(features, weights.words) : logit;
  return 1 / (1 + Math.exp(-Math.max(logit, logitByWords)));
}

/** Returns the probability of relevance of results of which only a title and a snippet are known. */
export function judgeSnippets(results: readonly PageEvidence[]): number[] {
  const best = findBestEvidence(results);
  return results.map((result) =>
    computeProbability(result, {
      best,
      weights: SHOWN_WEIGHTS,
      saysAll: isShort(result) && result.gathered.share >= ALL_WORDS,
    }),
  );
}

/**
 * True when all of the several words of a short query stand together: then the page is relevant by its words, whatever else it
 * covers.
 */
function containsAllWords({ stretch, telling }: PageEvidence): boolean {
  return stretch >= ALL_WORDS && isShort({ telling });
}

const isShort = ({ telling }: Pick<PageEvidence, 'telling'>): boolean =>
  telling > 1 && computeLongness(telling) === 0;

/**
 * The relevance below which a result is weak, that is, unlikely to be relevant. A caller who names domains to search knows that the
 * answer is there, and a long query describes a subject with many pages, so a lower threshold is enough.
 */
const WEAK_BELOW = { anywhere: 0.1, inDomains: 0.02, long: 0.03 };

/**
 * The same for a result of which only a title and a snippet are known: a good one may show little of the query; one about something
 * else shows next to nothing of it.
 */
export const SNIPPET_WEAK_BELOW = 0.03;

/** Minimum informative terms of a query that describes a subject. */
const LONG_FROM = 8;

/** Returns the relevance below which a page is a weak result of a query. */
export function chooseWeakThreshold({
  telling,
  namesDomains,
}: {
  telling: number;
  namesDomains: boolean;
}): number {
  if (namesDomains) return WEAK_BELOW.inDomains;
  return telling >= LONG_FROM ? WEAK_BELOW.long : WEAK_BELOW.anywhere;
}

/** Stretch lengths, in words. */
export const STRETCHES = { wide: 40, narrow: 15 };

/**
 * Returns the greatest share of the terms' weight within any stretch of `words` words of the body; `found` is parallel to `terms`.
 */
export function measureRichestStretch(
  terms: readonly WeightedTerm[],
  found: readonly (Occurrences | null)[],
  words: number,
): number {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const hits = collectHits(found);
  const inside = new Uint32Array(terms.length);
  let [sum, best, first] = [0, 0, 0];
  for (const { place, term } of hits) {
    if (inside[term] === 0) sum += terms[term]?.weight ?? 0;
    inside[term] = (inside[term] ?? 0) + 1;
    for (let left = hits[first]; left !== undefined && left.place < place - words; left = hits[first]) {
      inside[left.term] = (inside[left.term] ?? 0) - 1;
      if (inside[left.term] === 0) sum -= terms[left.term]?.weight ?? 0;
      first += 1;
    }
    best = Math.max(best, sum);
  }
  return total === 0 ? 0 : best / total;
}

function collectHits(found: readonly (Occurrences | null)[]): { place: number; term: number }[] {
  return found
    .flatMap((occurrences, term) => (occurrences?.body.places ?? []).map((place) => ({ place, term })))
    .sort((left, right) => left.place - right.place);
}

/**
 * Makes relevances non-increasing along the order of the results, which depends on more than relevance: neighbours that would rise
 * share their mean (pool adjacent violators, Ayer et al. 1955).
 */
export function makeNonIncreasing(relevances: readonly number[]): number[] {
  const pools: { sum: number; count: number }[] = [];
  for (const relevance of relevances) {
    let pool = { sum: relevance, count: 1 };
    for (
      let last = pools.at(-1);
      last !== undefined && last.sum / last.count < pool.sum / pool.count;
      last = pools.at(-1)
    ) {
      pools.pop();
      pool = { sum: last.sum + pool.sum, count: last.count + pool.count };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
}

type Weights = Readonly<Record<'meant' | 'words', FeatureRow>>;
