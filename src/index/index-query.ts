import { findNearWords } from '../text/embeddings/near-words.ts';
import type { Query, QueryTerm } from '../text/query/read-query.ts';
import { estimatePageShare } from '../text/scoring/rarity.ts';
import type { ScoringContext, WeightedTerm } from '../text/scoring/score-page.ts';
import { wantsSidePage } from '../text/scoring/side-page.ts';
import type { SnippetTerm } from '../text/scoring/snippet.ts';
import { hashTerm } from '../text/words/hashed/hash-terms.ts';
import type { IndexTotals } from './index-schema.ts';
import type { CandidateTerm } from './postings/find-candidates.ts';

/** A query as the index reads it. */
export type WeighedQuery = {
  /** The terms that candidates are found by: those in the index, without stop words unless there is nothing else. */
  present: CandidateTerm[];
  scoring: ScoringContext;
  snippetTerms: SnippetTerm[];
  /** The query asks for release notes, an index or the like. */
  asksForSidePage: boolean;
};

/** Weight of a stop word: it still separates pages that are otherwise alike (`IS NULL`). */
const STOP_SHARE = 0.15;
/** Weight of a part of an identifier that the index holds as a whole. */
const PART_SHARE = 0.4;

/** Weight of a word that appears in questions on any subject. */
const LIGHT_SHARE = 0.5;

/**
 * Pages added to the real count when computing idf, as if the index had this many more pages with the word frequencies of English
 * text. A small index says little about how rare a word is in general; without this the same page would score differently in a larger one.
 */
const PAGES_ASSUMED = 1_000;
/** The same smoothing for field lengths: this many pages with usual lengths. */
const LENGTHS_ASSUMED = { pages: 200, title: 5, headings: 12, address: 4, body: 500 };

type IndexStatistics = { totals: IndexTotals; languages: string[]; frequencyOf: (token: string) => number };

/** Weighs the terms of a query by how rare they are in the index. */
export function weighQuery(query: Query, { totals, languages, frequencyOf }: IndexStatistics): WeighedQuery {
  const counted = query.forIndex(languages).map((term) => ({
    ...term,
    frequency: term.forms.reduce((sum, form) => sum + frequencyOf(form), 0),
  }));
  const holdsWhole = counted.some(({ kind, frequency }) => kind === 'whole' && frequency > 0);
  const nothingElse = counted.every(({ stop, frequency }) => stop || frequency === 0);
  // An identifier that no page has adds nothing to its parts.
  const weighed = counted
    .filter(({ kind, frequency }) => kind !== 'whole' || frequency > 0)
    .map((term) => ({
      ...term,
      weight: computeTermWeight(term, { pages: totals.pages, holdsWhole, nothingElse }),
    }));
  const means = computeMeanLengths(totals);
  return {
    present: weighed.filter(({ frequency, stop }) => frequency > 0 && (nothingElse || !stop)),
    scoring: {
      terms: weighed.map((term) => toWeighedTerm(term, languages)),
      meanLengths: means,
      topicWords: weighed.filter(({ kind, stop }) => kind === 'word' && !stop).length,
      telling: weighed.filter(({ stop }) => !stop).length,
      namesIdentifier: holdsWhole,
    },
    snippetTerms: weighed,
    asksForSidePage: wantsSidePage(query.text),
  };
}

/** Builds the term that pages are scored by; English words also get words of nearly the same meaning. */
function toWeighedTerm(
  { forms, said, kind, weight, place, stop, light }: QueryTerm & { weight: number },
  languages: readonly string[],
): WeightedTerm {
  const tells = !stop && !light;
  const isEnglish = languages.length === 0 || languages.includes('en');
  const near = tells && isEnglish && kind === 'word' && said !== '' ? findNearWords(said) : [];
  return {
    hashes: forms.map(hashTerm),
    said,
    weight,
    place,
    tells,
    near: near.map(({ stem, cosine }) => ({ hash: hashTerm(stem), share: cosine })),
  };
}

type WeighingContext = { pages: number; holdsWhole: boolean; nothingElse: boolean };

/** Multiplies idf by the number of times that the query contains the term. */
function computeTermWeight(
  { forms, kind, stop, light, count, frequency }: QueryTerm & { frequency: number },
  { pages, holdsWhole, nothingElse }: WeighingContext,
): number {
  const idf = computeIdf(frequency, { pages, share: Math.max(...forms.map(estimatePageShare)) });
  const part = kind === 'part' && holdsWhole ? PART_SHARE : 1;
  return idf * count * (stop && !nothingElse ? STOP_SHARE : light ? LIGHT_SHARE : part);
}

/** Computes idf after Robertson and Spärck Jones, never negative; `share`: the share of pages in general that contain the term. */
export function computeIdf(frequency: number, { pages, share }: { pages: number; share: number }): number {
  const held = Math.min(frequency, pages) + PAGES_ASSUMED * share;
  return Math.log(1 + (pages + PAGES_ASSUMED - held + 0.5) / (held + 0.5));
}

function computeMeanLengths({
  pages,
  title,
  headings,
  address,
  body,
}: IndexTotals): ScoringContext['meanLengths'] {
  const assumed = LENGTHS_ASSUMED;
  const computeMean = (sum: number, usual: number): number =>
    (sum + assumed.pages * usual) / (pages + assumed.pages);
  return {
    title: computeMean(title, assumed.title),
    headings: computeMean(headings, assumed.headings),
    address: computeMean(address, assumed.address),
    body: computeMean(body, assumed.body),
  };
}
