import type { LocalCoverage } from './local-coverage.ts';

/** The evidence by which the relevance of a page for a query is judged. */
export type PageEvidence = {
  /** Its score by words, from 0 to 1. */
  lexical: number;
  /** The same score with the feedback terms of the best pages for a long query. */
  fed: number;
  /** Share of the query's weight in the richest stretch of forty words, and of fifteen (`narrow`); from 0 to 1. */
  stretch: number;
  narrow: number;
  /** The weight of the query's terms on the page, in nats, and the share of its informative terms there (`held`). */
  matched: number;
  held: number;
  /** The weight of all terms of the query, in nats. */
  weight: number;
  /** The share of the query that one place covers, counting the names of the page. */
  gathered: LocalCoverage;
  /** The cosine of the query with the closest part of the page; null: not known. */
  meaning: number | null;
  /** The cosine of the query with the page's title or a text that links to it, whichever is closest; 0: not known. */
  named: number;
  /** True for release notes, indexes and the like when the query does not ask for them. */
  isSide: boolean;
  /** Number of terms of the query that are not stop words. */
  telling: number;
};

/** Features of a page for the sum that orders pages, or for the one that judges relevance. */
export type FeatureRow = Readonly<Record<string, number>>;

/** Maximum nats in one place that count; more do not make a page more likely to be relevant. */
const GATHERED_MAX = 30;

/** The best value of each kind of evidence among the pages of one query, with which the others are compared. */
type BestEvidence = Readonly<
  Record<'lexical' | 'stretch' | 'meaning' | 'named' | 'gathered' | 'told' | 'whole', number>
>;

/**
 * A query of up to `from` informative terms is short; one of `to` or more is long: it describes a subject, and its words tell more.
 */
const LENGTHS = { from: 4, to: 9 };

/** Returns the length of a query on a scale from 0 (short) to 1 (long). */
export const computeLongness = (telling: number): number =>
  Math.min(1, Math.max(0, (telling - LENGTHS.from) / (LENGTHS.to - LENGTHS.from)));

/** Returns the best evidence among all pages of a query. */
export function findBestEvidence(pages: readonly PageEvidence[]): BestEvidence {
  const findMost = (value: (page: PageEvidence) => number): number =>
    pages.reduce((best, page) => Math.max(best, value(page)), 0);
  return {
    lexical: findMost(({ lexical }) => lexical),
    stretch: findMost(({ stretch }) => stretch),
    meaning: findMost(({ meaning }) => meaning ?? 0),
    named: findMost(({ named }) => named),
    gathered: findMost(({ gathered }) => gathered.share),
    told: findMost(({ gathered }) => gathered.told),
    whole: findMost(({ gathered }) => gathered.whole),
  };
}

/** Builds the features that order pages. */
export function buildOrderFeatures(page: PageEvidence): FeatureRow {
  const { fed, stretch, narrow, named } = page;
  const meaning = Math.max(0, page.meaning ?? 0);
  const long = computeLongness(page.telling);
  return {
    fed,
    stretch,
    narrow,
    meaning,
    named,
    side: page.isSide ? -1 : 0,
    longFed: long * fed,
    longStretch: long * stretch,
    longNarrow: long * narrow,
    longMeaning: long * meaning,
  };
}

/**
 * Builds the features that relevance is judged by: those of the page itself, and its distance from the best pages of the same
 * query.
 */
export function buildRelevanceFeatures(page: PageEvidence, best: BestEvidence): FeatureRow {
  const { lexical, stretch, narrow, named, matched, held, gathered, weight } = page;
  const meaning = Math.max(0, page.meaning ?? 0);
  const long = computeLongness(page.telling);
  const gatheredWeight = Math.min(GATHERED_MAX, gathered.share * weight);
  return {
    lexical,
    stretch,
    narrow,
    meaning,
    named,
    matched,
    held,
    side: page.isSide ? -1 : 0,
    gathered: gathered.share,
    told: gathered.told,
    whole: gathered.whole,
    site: Number(gathered.namesSite),
    gatheredWeight,
    longGathered: long * gatheredWeight,
    long,
    longMatched: long * matched,
    longLexical: long * lexical,
    behindLexical: lexical - best.lexical,
    behindStretch: stretch - best.stretch,
    behindMeaning: meaning - best.meaning,
    behindNamed: named - best.named,
    behindGathered: gathered.share - best.gathered,
    behindTold: gathered.told - best.told,
    behindWhole: gathered.whole - best.whole,
    constant: 1,
  };
}

/** Chooses the weights: with the meaning of the page, or by words alone. */
export const chooseWeightsKind = ({ meaning }: PageEvidence): 'meant' | 'words' =>
  meaning === null ? 'words' : 'meant';

/** Computes a weighted sum; features without a weight are ignored. */
export function sumWeighted(features: FeatureRow, weights: FeatureRow): number {
  let sum = 0;
  for (const [name, weight] of Object.entries(weights)) sum += weight * (features[name] ?? 0);
  return sum;
}
