import { nearWords } from '../text/embeddings/near-words.ts';
import type { QueryTerm } from '../text/query/query-terms.ts';
import type { Query } from '../text/query/read-query.ts';
import { shareOfPages } from '../text/scoring/rarity.ts';
import type { ScoringContext, WeighedTerm } from '../text/scoring/score-page.ts';
import { asksForSidePage } from '../text/scoring/side-page.ts';
import type { SnippetTerm } from '../text/scoring/snippet.ts';
import { hashOf } from '../text/words/hashed/hash-of.ts';
import type { IndexTotals } from './index-schema.ts';
import type { CandidateTerm } from './postings/find-candidates.ts';

/** A query as the index reads it. */
export type WeighedQuery = {
  /** The terms that candidates are found by: those that the index holds, without stop words unless there is nothing else. */
  present: CandidateTerm[];
  scoring: ScoringContext;
  snippetTerms: SnippetTerm[];
  /** It asks for release notes, an index or the like. */
  asksForSidePage: boolean;
};

/** A stop word still tells between pages that are alike otherwise (`IS NULL`). */
const STOP_SHARE = 0.15;
/** A piece of an identifier that the index holds as a whole. */
const PART_SHARE = 0.4;

/** A word that questions of any subject are put with. */
const LIGHT_SHARE = 0.5;

/**
 * A small index says little of how rare a word is elsewhere, so that the same page would score otherwise in a larger one: as if it
 * had this many more pages, which hold words as often as English text does.
 */
const PAGES_ASSUMED = 1_000;
/** The same for the lengths of fields: so many pages of usual lengths. */
const LENGTHS_ASSUMED = { pages: 200, title: 5, headings: 12, address: 4, body: 500 };

type Known = { totals: IndexTotals; languages: string[]; frequencyOf: (token: string) => number };

/** Weighs the terms of a query by how rare they are in the index. */
export function weighQuery(query: Query, { totals, languages, frequencyOf }: Known): WeighedQuery {
  const counted = query.forIndex(languages).map((term) => ({
    ...term,
    frequency: term.forms.reduce((sum, form) => sum + frequencyOf(form), 0),
  }));
  const holdsWhole = counted.some(({ kind, frequency }) => kind === 'whole' && frequency > 0);
  const nothingElse = counted.every(({ stop, frequency }) => stop || frequency === 0);
  // An identifier that no page has says nothing that its parts do not say.
  const weighed = counted
    .filter(({ kind, frequency }) => kind !== 'whole' || frequency > 0)
    .map((term) => ({ ...term, weight: weightOf(term, { pages: totals.pages, holdsWhole, nothingElse }) }));
  const means = meansOf(totals);
  return {
    present: weighed.filter(({ frequency, stop }) => frequency > 0 && (nothingElse || !stop)),
    scoring: {
      terms: weighed.map((term) => scoredTerm(term, languages)),
      meanLengths: means,
      topicWords: weighed.filter(({ kind, stop }) => kind === 'word' && !stop).length,
      telling: weighed.filter(({ stop }) => !stop).length,
      namesIdentifier: holdsWhole,
    },
    snippetTerms: weighed,
    asksForSidePage: asksForSidePage(query.text),
  };
}

/** English words have others beside them that mean nearly the same. */
function scoredTerm(
  { forms, said, kind, weight, place, stop, light }: QueryTerm & { weight: number },
  languages: readonly string[],
): WeighedTerm {
  const tells = !stop && !light;
  const isEnglish = languages.length === 0 || languages.includes('en');
  const near = tells && isEnglish && kind === 'word' && said !== '' ? nearWords(said) : [];
  return {
    hashes: forms.map(hashOf),
    said,
    weight,
    place,
    tells,
    near: near.map(({ stem, cosine }) => ({ hash: hashOf(stem), share: cosine })),
  };
}

type Weighing = { pages: number; holdsWhole: boolean; nothingElse: boolean };

/** Idf times how often the query says the term. */
function weightOf(
  { forms, kind, stop, light, count, frequency }: QueryTerm & { frequency: number },
  { pages, holdsWhole, nothingElse }: Weighing,
): number {
  const idf = idfOf(frequency, { pages, share: Math.max(...forms.map(shareOfPages)) });
  const part = kind === 'part' && holdsWhole ? PART_SHARE : 1;
  return idf * count * (stop && !nothingElse ? STOP_SHARE : light ? LIGHT_SHARE : part);
}

/** Robertson and Sparck Jones, never negative; `share`: of pages in general that hold the term. */
export function idfOf(frequency: number, { pages, share }: { pages: number; share: number }): number {
  const held = Math.min(frequency, pages) + PAGES_ASSUMED * share;
  return Math.log(1 + (pages + PAGES_ASSUMED - held + 0.5) / (held + 0.5));
}

function meansOf({ pages, title, headings, address, body }: IndexTotals): ScoringContext['meanLengths'] {
  const assumed = LENGTHS_ASSUMED;
  const mean = (sum: number, usual: number): number =>
    (sum + assumed.pages * usual) / (pages + assumed.pages);
  return {
    title: mean(title, assumed.title),
    headings: mean(headings, assumed.headings),
    address: mean(address, assumed.address),
    body: mean(body, assumed.body),
  };
}
