import type { Occurrences } from './page-words.ts';
import type { WeighedTerm } from './score-page.ts';

/** What is known of a page for a query when its relevance is judged. */
type PageEvidence = {
  /** Its score by words, from 0 to 1. */
  lexical: number;
  /** The share of the query's weight in its richest stretch of text, from 0 to 1. */
  stretch: number;
  /** The weight of the query's terms that the page has, in natural units of information. */
  matched: number;
  /** `best`: the cosine of the query with the closest part of the page; null: not known. */
  meaning: { best: number } | null;
  /** Terms of the query that are no stop words. */
  telling: number;
};

/** A judged page: `order` compares pages for one query, `relevance` is the probability that a person would call the page relevant. */
export type Judged = { order: number; relevance: number };

/**
 * Two models, for pages whose meaning is known and for others, fitted by logistic regression on the tuned halves of the judged
 * collections, on questions over manuals (eval/ranking/manual-questions.tsv) and on real questions over paragraphs, in indexes of 10 to 11,000
 * pages (decision 0046). `long` is added in proportion for a long query: words tell more there.
 */
type Weights = { lexical: number; stretch: number; meaning: number; matched: number; constant: number };
type Model = { short: Weights; long: Weights };
const none = { matched: 0, constant: 0 };
const ORDER: Record<'meant' | 'words', Model> = {
  meant: {
    short: { lexical: 8.1, stretch: 2.3, meaning: 9, ...none },
    long: { lexical: 27.3, stretch: -0.8, meaning: -6.2, ...none },
  },
  words: {
    short: { lexical: 14.8, stretch: 2.7, meaning: 0, ...none },
    long: { lexical: 29.9, stretch: -1.9, meaning: 0, ...none },
  },
};
const RELEVANCE: Record<'meant' | 'words', Model> = {
  meant: {
    short: { lexical: 0, stretch: 1.74, meaning: 7.36, matched: 0.208, constant: -7.17 },
    long: { lexical: -0.36, stretch: -1.2, meaning: -0.58, matched: -0.184, constant: 2.21 },
  },
  words: {
    short: { lexical: 2.19, stretch: 3.03, meaning: 0, matched: 0.239, constant: -6.71 },
    long: { lexical: 0, stretch: -0.21, meaning: 0, matched: -0.2, constant: 3.84 },
  },
};

/** A query of up to `from` telling terms is short, one of `to` or more is long. */
const LENGTHS = { from: 4, to: 9 };

/** A stretch with this share of the query's weight has all of its words. */
const ALL_WORDS = 0.999;

/** Judges a page by words and, where it is known, by meaning. */
export function judge(evidence: PageEvidence): Judged {
  const kind = evidence.meaning === null ? 'words' : 'meant';
  const logit = sumOf(RELEVANCE[kind], evidence);
  const logitByWords = saysAll(evidence) ? sumOf(RELEVANCE.words, evidence) : logit;
  return {
    order: sumOf(ORDER[kind], evidence),
    relevance: 1 / (1 + Math.exp(-Math.max(logit, logitByWords))),
  };
}

/** Several words of a short query stand together: then the page is relevant by its words, whatever else it speaks of. */
function saysAll({ stretch, telling }: PageEvidence): boolean {
  return stretch >= ALL_WORDS && telling > 1 && telling <= LENGTHS.from;
}

function sumOf({ short, long }: Model, evidence: PageEvidence): number {
  const share = Math.min(1, Math.max(0, (evidence.telling - LENGTHS.from) / (LENGTHS.to - LENGTHS.from)));
  const weight = (name: keyof Weights): number => short[name] + share * long[name];
  return (
    weight('lexical') * evidence.lexical +
    weight('stretch') * evidence.stretch +
    weight('meaning') * Math.max(0, evidence.meaning?.best ?? 0) +
    weight('matched') * evidence.matched +
    weight('constant')
  );
}

/**
 * Below `least` a page is unlikely to bear on a query; so it is below this share of the best page's relevance, because beside a
 * good page a doubtful one is no help. A caller who names the domains to look in knows that the answer is there: less is enough.
 * A long query describes a subject, on which there are many pages.
 */
const FLOORS = {
  anywhere: { least: 0.15, share: 0.5 },
  inDomains: { least: 0.04, share: 0.2 },
  long: { least: 0.06, share: 0.2 },
};

/** Telling terms of a query that describes a subject. */
const LONG_FROM = 6;

/** Where and how a query asks. */
type Asking = { telling: number; namesDomains: boolean };

/** The relevance from which on pages are worth returning, given the relevances of all. */
export function floorOf(relevances: readonly number[], { telling, namesDomains }: Asking): number {
  const kind = namesDomains ? 'inDomains' : telling >= LONG_FROM ? 'long' : 'anywhere';
  const { least, share } = FLOORS[kind];
  return relevances.reduce((floor, relevance) => Math.max(floor, share * relevance), least);
}

/** So many words of a text are read at once. */
const STRETCH = 40;

/** The share of the weight of the terms that stand together in some stretch of the body; `found` as for `terms`. */
export function richestStretch(
  terms: readonly WeighedTerm[],
  found: readonly (Occurrences | null)[],
): number {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const hits = hitsOf(found);
  const inside = new Uint32Array(terms.length);
  let [sum, best, first] = [0, 0, 0];
  for (const { place, term } of hits) {
    if (inside[term] === 0) sum += terms[term]?.weight ?? 0;
    inside[term] = (inside[term] ?? 0) + 1;
    for (let left = hits[first]; left !== undefined && left.place < place - STRETCH; left = hits[first]) {
      inside[left.term] = (inside[left.term] ?? 0) - 1;
      if (inside[left.term] === 0) sum -= terms[left.term]?.weight ?? 0;
      first += 1;
    }
    best = Math.max(best, sum);
  }
  return total === 0 ? 0 : best / total;
}

function hitsOf(found: readonly (Occurrences | null)[]): { place: number; term: number }[] {
  return found
    .flatMap((occurrences, term) => (occurrences?.body.places ?? []).map((place) => ({ place, term })))
    .sort((left, right) => left.place - right.place);
}

/**
 * The relevances of results in their order, which is told by more than relevance, made to fall along it: neighbours that would
 * rise share their mean (pool adjacent violators, Ayer et al. 1955).
 */
export function falling(relevances: readonly number[]): number[] {
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
