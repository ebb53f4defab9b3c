import type { AskedKind } from '../query/asked-kind.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { meaning } from './meaning.ts';
import { queryHits } from './query-hits.ts';
import { relatives } from './relatives.ts';
import {
  besides,
  bm25,
  coverage,
  headingCoverage,
  phrases,
  proximity,
  sentenceFeatures,
} from './word-features.ts';
import type { WordVectors } from './word-vectors.ts';

/** Features of a chunk for a query. Those of the first list are relative to the other chunks of the page (z-scores). */
const RELATIVE = [
  'bm25',
  'phrases',
  'proximity',
  'sentenceBm25',
  'relatives',
  'meanVector',
  'likeWords',
] as const;
const ABSOLUTE = ['coverage', 'sentence', 'subject', 'heading', 'besides', 'askedKind', 'lead'] as const;

/** Their names, the order of the trainer's table. */
export const FEATURES = [...RELATIVE, ...ABSOLUTE] as const;
export type Feature = (typeof FEATURES)[number];
/** A value per chunk for each feature; `covered` is the share of the query that the chunk covers, each term weighted by its rarity. */
export type PassageFeatures = {
  columns: Record<Feature, Float64Array>;
  covered: Float64Array;
  /** The share of the query (by its weight on the page) that a chunk lacks but expresses in words of similar meaning. */
  nearlyCovered: Float64Array;
};

/** Stems of a date or of a number. */
const YEAR = /^(?:1\d|20)\d\d$/;
const NUMBER = /^\p{N}[\p{N}.,]*$/u;
const MONTHS = new Set(
  'januari februari march april june juli august septemb octob novemb decemb'.split(' '),
);
const NUMERALS = new Set(
  'two three four five six seven eight nine ten eleven twelv hundr thousand million billion'.split(' '),
);

/** The features of every chunk of a page. Without vectors those that need them are 0. */
export function featuresOf(
  page: ChunkTerms,
  query: PassageQuery,
  vectors: WordVectors | null,
): PassageFeatures {
  const found = queryHits(page, query);
  const none = new Float64Array(found.chunks);
  const sentences = sentenceFeatures(found);
  const meant = vectors === null ? { mean: none, like: none } : meaning(page, query, found, vectors);
  const columns: Record<Feature, Float64Array> = {
    bm25: bm25(found),
    phrases: phrases(page, query),
    proximity: proximity(found),
    sentenceBm25: sentences.bm25,
    relatives: relatives(page, query, found),
    meanVector: meant.mean,
    likeWords: meant.like,
    coverage: coverage(found, found.weights),
    sentence: sentences.covered,
    subject: sentences.subject,
    heading: headingCoverage(found),
    besides: besides(found),
    askedKind: askedKind(page, query.asks),
    lead: none.map((_, chunk) => 1 / (1 + chunk)),
  };
  const nearlyCovered = meant.like.map((weight) => weight / found.weightTotal);
  for (const feature of RELATIVE) columns[feature] = standardised(columns[feature]);
  return { columns, covered: coverage(found, query.rarities), nearlyCovered };
}

/** Less the mean, by the standard deviation; all 0 where nothing differs. */
function standardised(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  const deviation = Math.sqrt(variance);
  return values.map((value) => (deviation < 1e-9 ? 0 : (value - mean) / deviation));
}

/** 1 for each chunk that contains the kind of answer asked for, else 0. */
function askedKind(page: ChunkTerms, asks: AskedKind | null): Float64Array {
  const out = new Float64Array(page.from.length - 1);
  if (asks === null) return out;
  const fits = page.terms.map((term) =>
    asks === 'date' ? YEAR.test(term) || MONTHS.has(term) : NUMBER.test(term) || NUMERALS.has(term),
  );
  return out.map((_, chunk) =>
    page.ids.subarray(page.from[chunk], page.from[chunk + 1]).some((id) => fits[id]) ? 1 : 0,
  );
}
