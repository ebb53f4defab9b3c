/** The fields of a page that are scored separately. */
export const FIELDS = ['title', 'headings', 'address', 'body'] as const;
/** Heading number n starts at place n * HEADING_STRIDE, so places show whether two terms share a heading. */
export const HEADING_STRIDE = 64;
/** Maximum terms of a text, and maximum headings, that are read. */
export const BODY_TERMS_MAX = 200_000;
export const HEADINGS_MAX = 2_000;
/** Maximum places kept per term and field. */
export const PLACES_MAX = 32;

/** A term of the query, prepared for scoring pages. */
export type WeightedTerm = {
  /** Hashes of its forms. */
  hashes: number[];
  /** Near-synonyms, each with the share of the term that it covers; used for relevance only. */
  near: readonly { hash: number; share: number }[];
  /** The spelling in the query, in lower case. */
  said: string;
  /** Idf times its count in the query, reduced for stop words and parts of identifiers. */
  weight: number;
  place: number;
  /** True for terms that are neither stop words nor common in questions on any subject. */
  tells: boolean;
};

export type ScoringContext = {
  terms: WeightedTerm[];
  meanLengths: Record<PageField, number>;
  /** Words of the query that carry a topic: neither stop words nor parts of identifiers. */
  topicWords: number;
  /** Number of terms that are not stop words. */
  telling: number;
  /** True when it contains an identifier that some page has, whose meaning is not that of its parts. */
  namesIdentifier: boolean;
};

/** Features from 0 to 1 that make up the score of a page. */
type PageFeatures = {
  bm25: number;
  proximity: number;
  heading: number;
  title: number;
  address: number;
};

/** BM25F (Robertson and Zaragoza 2009): saturation, and for each field its weight and how much its length matters. */
const BM25F = {
  k1: 1.2,
  weights: { title: 3, headings: 1, address: 1, body: 1 },
  lengths: { title: 0.4, headings: 0.2, address: 0.3, body: 0.4 },
};

/** Shares of the features in the score; chosen on the SQLite and Django manuals and every other query of the text collections. */
const SHARES = { bm25: 1, proximity: 0.1, heading: 0.5, title: 0.45, address: 0.2 };

const PAIR_DISTANCE_MAX = 8;
/**
 * Headings, titles and addresses name their subject in a few words; matches with a longer question are increasingly due to chance,
 * and so are words adjacent in both.
 */
const LABEL_WORDS = 5;

/** Computes a page's score for a query, from 0 to 1, absolute: 1 would be a page about exactly the query. */
export function scoreFeatures(features: PageFeatures): number {
  let score = 0;
  let shares = 0;
  for (const name of ['bm25', 'proximity', 'heading', 'title', 'address'] as const) {
    score += SHARES[name] * features[name];
    shares += SHARES[name];
  }
  return score / shares;
}

/** Looks up the terms of the query in a page and computes its features. */
export function computePageFeatures(words: PageLookUp, context: ScoringContext): PageFeatures {
  const { terms, meanLengths } = context;
  const label = Math.min(1, LABEL_WORDS / Math.max(1, context.topicWords));
  const found = terms.map(({ hashes }) => findOccurrences(words, hashes));
  const norms = computeNorms(words, meanLengths);
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const toShare = (part: number): number => (total === 0 ? 0 : part / total);
  return {
    bm25: toShare(sumSaturated(terms, found, norms)),
    proximity: label * measureProximity(terms, found),
    heading: label * toShare(scoreBestHeading(terms, found)),
    title: label * scoreTitleMatch(terms, found, { total, titleLength: words.lengths.title }),
    address: label * toShare(sumWhere(terms, found, ({ address }) => address.count > 0)),
  };
}

/** Returns the share of the weight of some terms that a page has, from 0 to 1, by BM25F alone. */
export function scoreTermMatch(
  words: PageLookUp,
  terms: WeightedTerm[],
  means: Record<PageField, number>,
): number {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  const found = terms.map(({ hashes }) => findOccurrences(words, hashes));
  return sumSaturated(terms, found, computeNorms(words, means)) / total;
}

/** Returns the share of a page's title that is in the query, from 0 to 1: at 1 the query probably seeks this page. */
export function measureTitleShare(words: PageLookUp, terms: WeightedTerm[]): number {
  const { title } = words.lengths;
  if (title === 0) return 0;
  const said = terms.filter(({ hashes }) => (findOccurrences(words, hashes)?.title.count ?? 0) > 0).length;
  return Math.min(1, said / title);
}

function sumSaturated(
  terms: WeightedTerm[],
  found: (Occurrences | null)[],
  norms: Record<PageField, number>,
): number {
  let sum = 0;
  for (const [index, { weight }] of terms.entries()) {
    const occurrences = found[index] ?? null;
    if (occurrences === null) continue;
    const count = computeWeightedCount(occurrences, norms);
    sum += (weight * count) / (count + BM25F.k1);
  }
  return sum;
}

/** Returns the occurrences of a term, by the first of its forms that the page has, or null. */
export function findOccurrences(words: PageLookUp, hashes: number[]): Occurrences | null {
  for (const hash of hashes) {
    const found = words.find(hash);
    if (found !== null) return found;
  }
  return null;
}

function computeNorms({ lengths }: PageLookUp, means: Record<PageField, number>): Record<PageField, number> {
  const computeNorm = (field: PageField): number => {
    const b = BM25F.lengths[field];
    return BM25F.weights[field] / (1 - b + (b * lengths[field]) / Math.max(1, means[field]));
  };
  return {
    title: computeNorm('title'),
    headings: computeNorm('headings'),
    address: computeNorm('address'),
    body: computeNorm('body'),
  };
}

const computeWeightedCount = (occurrences: Occurrences, norms: Record<PageField, number>): number =>
  occurrences.title.count * norms.title +
  occurrences.headings.count * norms.headings +
  occurrences.address.count * norms.address +
  occurrences.body.count * norms.body;

/** Measures how close neighbouring words of the query are in the body, weighted by the lighter of each pair. */
function measureProximity(terms: WeightedTerm[], found: (Occurrences | null)[]): number {
  let reached = 0;
  let possible = 0;
  for (let index = 0; index + 1 < terms.length; index += 1) {
    const [left, right] = [terms[index], terms[index + 1]];
    if (left === undefined || right === undefined) continue;
    const lighter = Math.min(left.weight, right.weight);
    possible += lighter;
    const distance = measureDistance(found[index]?.body.places, found[index + 1]?.body.places);
    if (distance <= PAIR_DISTANCE_MAX) reached += lighter / Math.max(1, distance);
  }
  return possible === 0 ? 0 : reached / possible;
}

function measureDistance(left: number[] | undefined, right: number[] | undefined): number {
  if (left === undefined || right === undefined) return Number.POSITIVE_INFINITY;
  let best = Number.POSITIVE_INFINITY;
  let inLeft = 0;
  let inRight = 0;
  while (inLeft < left.length && inRight < right.length) {
    const distance = (left[inLeft] ?? 0) - (right[inRight] ?? 0);
    best = Math.min(best, Math.abs(distance));
    if (distance < 0) inLeft += 1;
    else inRight += 1;
  }
  return best;
}

/** Returns the greatest weight of the query's terms within one heading. */
function scoreBestHeading(terms: WeightedTerm[], found: (Occurrences | null)[]): number {
  const sums = new Map<number, number>();
  for (const [index, { weight }] of terms.entries()) {
    const numbers = new Set(found[index]?.headings.places.map((place) => Math.floor(place / HEADING_STRIDE)));
    for (const number of numbers) sums.set(number, (sums.get(number) ?? 0) + weight);
  }
  return Math.max(0, ...sums.values());
}

/** Returns the share of the query that the title has, times (by half) the share of the title that the query has. */
function scoreTitleMatch(
  terms: WeightedTerm[],
  found: (Occurrences | null)[],
  { total, titleLength }: { total: number; titleLength: number },
): number {
  if (total === 0 || titleLength === 0) return 0;
  const matched = found.filter((occurrences) => (occurrences?.title.count ?? 0) > 0).length;
  const covered = sumWhere(terms, found, ({ title }) => title.count > 0) / total;
  return covered * (0.5 + 0.5 * Math.min(1, matched / titleLength));
}

function sumWhere(
  terms: WeightedTerm[],
  found: (Occurrences | null)[],
  holds: (occurrences: Occurrences) => boolean,
): number {
  let sum = 0;
  for (const [index, { weight }] of terms.entries()) {
    const occurrences = found[index] ?? null;
    if (occurrences !== null && holds(occurrences)) sum += weight;
  }
  return sum;
}

export type PageField = (typeof FIELDS)[number];

/** The texts of a page that terms are read from. */
export type PageTexts = {
  title: string;
  headings: string[];
  address: string;
  body: string;
  language: string | null;
};

/** The occurrences of a term in a field: their count, and the first places. */
type Occurrence = { count: number; places: number[] };

export type Occurrences = Record<PageField, Occurrence>;

/** The words of a page, for looking up terms by their hashes. */
export type PageLookUp = { lengths: Record<PageField, number>; find(hash: number): Occurrences | null };
