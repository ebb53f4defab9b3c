import type { TokenTable } from '../embeddings/token-table.ts';
import type { AskedKind } from '../query/asked-kind.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import { alignment } from './alignment.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { plainWords } from './plain-words.ts';
import { queryHits } from './query-hits.ts';
import { relatives } from './relatives.ts';
import { similarity } from './similarity.ts';
import {
  besides,
  blockCoverage,
  bm25,
  coverage,
  headingCoverage,
  named,
  phrases,
  proximity,
  sentenceFeatures,
} from './word-features.ts';

/** Features of a chunk for a query. Those of the first list are relative to the other chunks of the page (z-scores). */
const RELATIVE = [
  'bm25',
  'phrases',
  'proximity',
  'sentenceBm25',
  'relatives',
  'chunkMeaning',
  'sentenceMeaning',
  'length',
  'aligned',
] as const;
const ABSOLUTE = [
  'coverage',
  'sentence',
  'subject',
  'heading',
  'besides',
  'askedKind',
  'says',
  'code',
  'lead',
  'verdict',
  'blockCovered',
  'codeShare',
  'linkShare',
  'named',
] as const;

/** Their names, the order of the trainer's table. */
export const FEATURES = [...RELATIVE, ...ABSOLUTE] as const;
export type Feature = (typeof FEATURES)[number];
/** A value per chunk for each feature; `covered` is the share of the query that the chunk covers, each term weighted by its rarity. */
export type PassageFeatures = {
  columns: Record<Feature, Float64Array>;
  covered: Float64Array;
  /** How alike in meaning its best sentence and the query are. */
  meant: Float64Array;
  /** Plain BM25 of its best paragraph. */
  words: Float64Array;
  /** For a question how to do something: how well it tells that, 0 for chunks without an instruction. */
  does: Float64Array;
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

/** The features of every chunk of a page. Without a table of token vectors those that need one are 0. */
export function featuresOf(page: ChunkTerms, query: PassageQuery, table: TokenTable | null): PassageFeatures {
  const found = queryHits(page, query);
  const none = new Float64Array(found.chunks);
  const sentences = sentenceFeatures(found);
  const alike =
    table === null
      ? { chunk: none, sentence: none }
      : similarity(page, { query, weights: found.weights }, table);
  const columns: Record<Feature, Float64Array> = {
    bm25: bm25(found),
    phrases: phrases(page, query),
    proximity: proximity(found),
    sentenceBm25: sentences.bm25,
    relatives: relatives(page, query, found),
    chunkMeaning: alike.chunk,
    sentenceMeaning: alike.sentence,
    length: Float64Array.from(found.lengths, (length) => Math.log(1 + length)),
    aligned: none,
    coverage: coverage(found, found.weights),
    sentence: sentences.covered,
    subject: sentences.subject,
    heading: headingCoverage(found),
    besides: besides(found),
    askedKind: askedKind(page, query.asks),
    says: saysOf(page, query),
    code: codeOf(page, query),
    lead: none.map((_, chunk) => 1 / (1 + chunk)),
    verdict: verdictOf(page, query),
    blockCovered: blockCoverage(found, page.blocks),
    codeShare: Float64Array.from(page.codeShare),
    linkShare: Float64Array.from(page.linkShare),
    named: named(page, query, found),
  };
  const meant = alike.sentence;
  for (const feature of RELATIVE) columns[feature] = standardised(columns[feature]);
  if (table !== null) {
    const among = likelyChunks(columns);
    columns.aligned = standardised(alignment(page, { query, weights: found.weights }, { table, among }));
  }
  return {
    columns,
    covered: coverage(found, query.rarities),
    meant,
    words: plainWords(found, page.blocks),
    does: doesOf(page, query),
  };
}

/** Chunks that are compared with the query word by word, which costs the most. */
const ALIGNED_MAX = 12;

function likelyChunks({ bm25: words, chunkMeaning, sentenceMeaning }: PassageFeatures['columns']): number[] {
  const rough = words.map(
    (value, chunk) => value + (chunkMeaning[chunk] ?? 0) + (sentenceMeaning[chunk] ?? 0),
  );
  return [...rough.keys()]
    .sort((left, right) => (rough[right] ?? 0) - (rough[left] ?? 0) || left - right)
    .slice(0, ALIGNED_MAX);
}

/** Less the mean, by the standard deviation; all 0 where nothing differs. */
function standardised(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  const deviation = Math.sqrt(variance);
  // To the precision of a float: the order in which values were added does not show.
  return values.map((value) => (deviation < 1e-9 ? 0 : Math.fround((value - mean) / deviation)));
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

/** What a question of a kind is answered with: the stems that say so. */
const SAYS: [asked: RegExp, stems: ReadonlySet<string>][] = [
  [
    /\bdefaults?\b|\bif (?:I|you|nothing|none|not)\b|\bwhen (?:none|nothing)\b|\bby itself\b/i,
    new Set(['default', 'otherwis', 'omit', 'unset']),
  ],
  [
    /\b(?:returns?|yields?|raises?|exception|exit (?:code|status))\b/i,
    new Set(['return', 'yield', 'rais', 'exit', 'statu', 'except', 'throw']),
  ],
  [
    /\b(?:maximum|minimum|limits?|at most|how (?:many|long|big|large)|max|min)\b/i,
    new Set(['maximum', 'minimum', 'limit', 'most', 'least', 'exceed', 'default']),
  ],
  [
    /^(?:is|are|can|does|do|should|must|may|will|was)\b/i,
    new Set(['not', 'cannot', 'onli', 'must', 'should', 'may', 'can', 'never', 'alway', 'no']),
  ],
  [
    /\bwhat (?:is|are|does)\b|\bmeaning\b|\bdifference\b/i,
    new Set(['mean', 'call', 'defin', 'refer', 'specifi', 'indic']),
  ],
];

/** 1 for each chunk with a word that answers of the kind asked for say. */
function saysOf(page: ChunkTerms, query: PassageQuery): Float64Array {
  const out = new Float64Array(page.from.length - 1);
  const stems = SAYS.filter(([asked]) => asked.test(query.text)).map(([, said]) => said);
  if (stems.length === 0) return out;
  const fits = page.terms.map((term) => stems.some((said) => said.has(term)));
  return out.map((_, chunk) =>
    page.ids.subarray(page.from[chunk], page.from[chunk + 1]).some((id) => fits[id]) ? 1 : 0,
  );
}

const ASKS_WHETHER = /^(?:is|are|can|could|does|do|did|should|must|may|will|was|were|has|have)\b/i;
/** A page of no more chunks is an abstract or the like: it ends with what was found. */
const ABSTRACT_CHUNKS_MAX = 6;

/** 1 for the end of a short text that is asked whether something is so. */
function verdictOf({ from }: ChunkTerms, { text }: PassageQuery): Float64Array {
  const out = new Float64Array(from.length - 1);
  if (out.length <= ABSTRACT_CHUNKS_MAX && ASKS_WHETHER.test(text)) out[out.length - 1] = 1;
  return out;
}

/** BM25 of the chunks that instruct, where every verb for what is asked counts as the verb of the question. */
function doesOf(page: ChunkTerms, query: PassageQuery): Float64Array {
  const { act } = query;
  if (act === null) return new Float64Array(page.from.length - 1);
  const verb = query.terms.indexOf(act.said);
  const alike = new Map(verb === -1 ? [] : [...act.stems].map((stem) => [stem, verb] as const));
  return bm25(queryHits(page, query, alike)).map((value, chunk) => (page.instructs[chunk] === 1 ? value : 0));
}

const SEEKS_CODE =
  /\bhow (?:do i|can i|to)\b|\b(?:command|example|syntax|code|snippet|option|flag)\b|^(?:make|run|show|get|set|open|write|read|use|add|remove|delete|create|list|print)\b/i;

/** 1 for each chunk with code where the query asks how to do something. */
function codeOf(page: ChunkTerms, query: PassageQuery): Float64Array {
  return SEEKS_CODE.test(query.text)
    ? Float64Array.from(page.hasCode)
    : new Float64Array(page.from.length - 1);
}
