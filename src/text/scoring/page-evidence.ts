import type { Gathered } from './gathered.ts';

/** What is known of a page for a query when its relevance is judged. */
export type PageEvidence = {
  /** Its score by words, from 0 to 1. */
  lexical: number;
  /** The same, with what the best pages for a long query share. */
  fed: number;
  /** The share of the query's weight in its richest stretch of text of forty words, and of fifteen; from 0 to 1. */
  stretch: number;
  narrow: number;
  /** The weight of the query's terms that the page has, in natural units of information, and the share of its telling terms. */
  matched: number;
  held: number;
  /** The weight of all terms of the query, in the same units. */
  weight: number;
  /** How much of the query one place says, with the names of the page. */
  gathered: Gathered;
  /** The cosine of the query with the closest part of the page; null: not known. */
  meaning: number | null;
  /** The cosine of the query with the closest of the page's title and of the texts that link to it; 0: not known. */
  named: number;
  /** Release notes, indexes and the like, which the query does not ask for. */
  isSide: boolean;
  /** Terms of the query that are no stop words. */
  telling: number;
};

/** Figures of a page in the sum that orders pages, and in the one that judges relevance. */
export type FeatureRow = Readonly<Record<string, number>>;

/** More than so many natural units of information in one place make a page no likelier. */
const GATHERED_MAX = 30;

/** The best of each evidence among the pages of one query, beside which the others are seen. */
type Best = Readonly<
  Record<'lexical' | 'stretch' | 'meaning' | 'named' | 'gathered' | 'told' | 'whole', number>
>;

/** A query of up to `from` telling terms is short, one of `to` or more is long: it describes a subject, and words tell more. */
const LENGTHS = { from: 4, to: 9 };

/** How long a query is, from 0 to 1. */
export const longness = (telling: number): number =>
  Math.min(1, Math.max(0, (telling - LENGTHS.from) / (LENGTHS.to - LENGTHS.from)));

/** The best evidence of all pages of a query. */
export function bestOf(pages: readonly PageEvidence[]): Best {
  const most = (value: (page: PageEvidence) => number): number =>
    pages.reduce((best, page) => Math.max(best, value(page)), 0);
  return {
    lexical: most(({ lexical }) => lexical),
    stretch: most(({ stretch }) => stretch),
    meaning: most(({ meaning }) => meaning ?? 0),
    named: most(({ named }) => named),
    gathered: most(({ gathered }) => gathered.share),
    told: most(({ gathered }) => gathered.told),
    whole: most(({ gathered }) => gathered.whole),
  };
}

/** What the order of pages is told by. */
export function orderFeatures(page: PageEvidence): FeatureRow {
  const { fed, stretch, narrow, named } = page;
  const meaning = Math.max(0, page.meaning ?? 0);
  const long = longness(page.telling);
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

/** What relevance is told by: the page itself, and what it lacks beside the best pages of the same query. */
export function relevanceFeatures(page: PageEvidence, best: Best): FeatureRow {
  const { lexical, stretch, narrow, named, matched, held, gathered, weight } = page;
  const meaning = Math.max(0, page.meaning ?? 0);
  const long = longness(page.telling);
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

/** Which sums apply: with the meaning of the page, or by words alone. */
export const kindOf = ({ meaning }: PageEvidence): 'meant' | 'words' =>
  meaning === null ? 'words' : 'meant';

/** A weighted sum; a feature without a weight counts nothing. */
export function sumOf(features: FeatureRow, weights: FeatureRow): number {
  let sum = 0;
  for (const [name, weight] of Object.entries(weights)) sum += weight * (features[name] ?? 0);
  return sum;
}
