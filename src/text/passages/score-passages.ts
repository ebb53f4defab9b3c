/**
 * Scores the chunks of a page, or unrelated texts, for a query with a learned linear model over word and meaning features. Terms
 * read from a list of chunks are cached by that list. It does not choose what to show.
 */
import type { Chunk } from '../chunk/chunk-markdown.ts';
import { findTokenTable } from '../embeddings/encoder-for.ts';
import { type Query, readQuery } from '../query/read-query.ts';
import { guessLanguage } from '../words/guess-language.ts';
import { type ChunkTerms, readChunks } from './chunk-terms.ts';
import { findExtremeRows } from './extreme-rows.ts';
import { computePassageFeatures, FEATURES, type Feature, type PassageFeatures } from './features.ts';

/** Weights for English pages; fitted with the objective and the sets of eval/passages/train.ts. */
const WEIGHTS_WITH_VECTORS: Readonly<Record<Feature, number>> = {
  bm25: 0.276,
  phrases: 0.18,
  proximity: 0.066,
  sentenceBm25: -0.13,
  relatives: 0.196,
  chunkMeaning: 0.321,
  sentenceMeaning: 0.28,
  length: 0.117,
  aligned: 0.222,
  coverage: 0.132,
  sentence: 0.263,
  subject: 0.912,
  heading: 0.138,
  besides: 0.925,
  askedKind: 0.2,
  says: 0.898,
  code: 0.084,
  lead: -0.286,
  verdict: 3.172,
  blockCovered: 1.109,
  codeShare: -1.529,
  linkShare: -0.493,
  named: 1.546,
};

/** Written by eval/passages/train.ts. For pages in any other language. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  bm25: 0.45,
  phrases: 0.293,
  proximity: 0.131,
  sentenceBm25: 0.417,
  relatives: 0.381,
  chunkMeaning: 0,
  sentenceMeaning: 0,
  length: 0,
  aligned: 0,
  coverage: 1.848,
  sentence: 1.585,
  subject: 1.265,
  heading: 0.5,
  besides: 1.496,
  askedKind: 0.859,
  says: 0,
  code: 0,
  lead: 0.456,
  verdict: 0,
  blockCovered: 0,
  codeShare: 0,
  linkShare: 0,
  named: 0,
};

/**
 * How well a chunk matches a query. `score`: 0 to 1, comparable between the pages of one search. `coverage`: the share of the
 * query's terms (weighted by rarity) that the chunk has. `logit`: the order of the chunks within their page. `words` and `does` are
 * alternative orders: by plain words, and for a how-to question by how well they answer it.
 */
type PassageScore = { score: number; coverage: number; logit: number; words: number; does: number };

/**
 * A page whose best chunk covers this share of the query is relevant with probability 0.5; COVERAGE_STEEPNESS is the slope there.
 */
const COVERAGE_EVEN = 0.5;
const COVERAGE_STEEPNESS = 9;
/**
 * Logit coefficients with vectors, which also use the cosine of the best sentence with the query. Fitted on pages that answer a
 * question and others of the same manual, or of squad2_dev_half and qed_train.
 */
const MEANT = { none: -5.65, coverage: 7.98, cosine: 6.61, both: -2.45 };
/** Minimum cosine at which a page without any word of the query may be relevant. */
const MEANT_MIN = 0.3;
/** Rate at which the score falls with the logit's distance from the best chunk of the page. */
const FALL = 0.5;

/** Logit of a chunk with the extreme rows of a table; higher values add nothing on seen questions of eval/table-questions.ts. */
const EXTREME_WEIGHT = 2;

/** Unrelated texts have no first one and no neighbours. */
const ALONE = { besides: 0, lead: 0, verdict: 0 };
/** For longer lists the meaning of words is ignored: it takes a third of the time and moves few texts. */
const MEANT_TEXTS_MAX = 200;
/** Size of the sample from which the language of all texts is guessed: texts, and characters of each. */
const SAMPLE = { texts: 8, chars: 150 };

const readings = new WeakMap<readonly Chunk[], { language: string | null; terms: ChunkTerms }>();

/** Reads and caches the terms of the chunks of one page for all questions; returns its language, guessed when null. */
export function readPage(chunks: readonly Chunk[], language: string | null): string | null {
  const known = language ?? guessLanguage(chunks);
  ensureTerms(chunks, known);
  return known;
}

/** Counts the chunks of one page that hold each of the `wanted` terms; terms that none holds are left out. */
export function countTermChunks(
  chunks: readonly Chunk[],
  language: string | null,
  wanted: ReadonlySet<string>,
): Map<string, number> {
  const { terms, ids, from } = ensureTerms(chunks, language);
  const counts = new Map<string, number>();
  for (const term of wanted) {
    const id = terms.indexOf(term);
    const held = chunks.filter((_, place) => ids.subarray(from[place], from[place + 1]).includes(id)).length;
    if (held > 0) counts.set(term, held);
  }
  return counts;
}

/** Scores the chunks of one page for a query, in page order; all 0 when no chunk matches or the query has no terms. */
export function scorePassages(
  chunks: readonly Chunk[],
  query: Query,
  language: string | null,
): PassageScore[] {
  const known = language ?? guessLanguage(chunks);
  return computeScores(() => ensureTerms(chunks, known), {
    count: chunks.length,
    query,
    language: known,
    meantMax: Number.POSITIVE_INFINITY,
    weigh: (weights) => weights,
    extremes: findExtremeRows(chunks, query.text),
  });
}

/** Scores unrelated texts, such as documents to be ranked, in their order; otherwise like `scorePassages`. */
function scoreTexts(texts: readonly string[], query: Query): PassageScore[] {
  const chunks = texts.map(
    (text): Chunk => ({ markdown: text, headingPath: [], start: 0, end: text.length }),
  );
  const language = guessLanguage(sampleChunks(chunks));
  const weigh = (weights: Weights): Weights => ({ ...weights, ...ALONE });
  return computeScores(() => readChunks(chunks, language), {
    count: chunks.length,
    query,
    language,
    weigh,
    meantMax: MEANT_TEXTS_MAX,
    extremes: new Set(),
  });
}

/** A text of a list by its index there, and how well it matches the query, from 0 to 1. */
export type RankedText = { index: number; score: number };

/** Ranks texts for a query, best first; texts that match equally well keep their order. */
export function rankTexts(query: string, texts: readonly string[]): RankedText[] {
  return scoreTexts(texts, readQuery(query))
    .map(({ score }, index) => ({ index, score }))
    .sort((left, right) => right.score - left.score);
}

/** Joins a sample of the chunks into one: the first alone may be too short to show its language. */
function sampleChunks(chunks: readonly Chunk[]): Chunk[] {
  const step = Math.max(1, Math.floor(chunks.length / SAMPLE.texts));
  const sample = chunks.filter((_, place) => place % step === 0).slice(0, SAMPLE.texts);
  const markdown = sample.map((chunk) => chunk.markdown.slice(0, SAMPLE.chars)).join('\n');
  return [{ markdown, headingPath: [], start: 0, end: markdown.length }];
}

type Weights = Readonly<Record<Feature, number>>;

function computeScores(
  read: () => ChunkTerms,
  {
    count,
    query,
    language,
    meantMax,
    weigh,
    extremes,
  }: {
    count: number;
    query: Query;
    language: string | null;
    /** For more texts than this the meaning of words is ignored. */
    meantMax: number;
    weigh(weights: Weights): Weights;
    /** Places of chunks with the rows of a table that the query asks for. */
    extremes: ReadonlySet<number>;
  },
): PassageScore[] {
  const asked = query.forPassages(language);
  if (asked.terms.length === 0)
    return Array.from({ length: count }, () => ({ score: 0, coverage: 0, logit: 0, words: 0, does: 0 }));
  const table = count <= meantMax ? findTokenTable(language) : null;
  const features = computePassageFeatures(read(), asked, table);
  const logits = computeLogits(features, weigh(table === null ? WEIGHTS : WEIGHTS_WITH_VECTORS));
  for (const chunk of extremes) logits[chunk] = (logits[chunk] ?? 0) + EXTREME_WEIGHT;
  let best = 0;
  for (let chunk = 1; chunk < logits.length; chunk += 1)
    if ((logits[chunk] ?? 0) > (logits[best] ?? 0)) best = chunk;
  const certainty = estimateCertainty(features, best, table !== null);
  return Array.from({ length: count }, (_, chunk) => ({
    score: certainty * Math.exp(FALL * ((logits[chunk] ?? 0) - (logits[best] ?? 0))),
    coverage: features.covered[chunk] ?? 0,
    logit: logits[chunk] ?? 0,
    words: features.words[chunk] ?? 0,
    does: features.does[chunk] ?? 0,
  }));
}

/** Returns the terms of the chunks, read once for all queries to the same list. */
function ensureTerms(chunks: readonly Chunk[], language: string | null): ChunkTerms {
  const known = readings.get(chunks);
  if (known !== undefined && known.language === language) return known.terms;
  const terms = readChunks(chunks, language);
  readings.set(chunks, { language, terms });
  return terms;
}

function computeLogits({ columns, covered }: PassageFeatures, weights: Weights): Float64Array {
  const logits = new Float64Array(covered.length);
  for (const feature of FEATURES) {
    const weight = weights[feature];
    const column = columns[feature];
    for (let chunk = 0; chunk < logits.length; chunk += 1)
      logits[chunk] = (logits[chunk] ?? 0) + weight * (column[chunk] ?? 0);
  }
  return logits;
}

/**
 * Estimates the probability that the best chunk of a page is relevant; 0 when the page has neither words of the query nor words of
 * similar meaning.
 */
function estimateCertainty({ covered, meant }: PassageFeatures, best: number, hasVectors: boolean): number {
  if (covered.every((share, chunk) => share === 0 && (meant[chunk] ?? 0) < MEANT_MIN)) return 0;
  const [coverage, cosine] = [covered[best] ?? 0, meant[best] ?? 0];
  const logit = hasVectors
    ? MEANT.none + MEANT.coverage * coverage + MEANT.cosine * cosine + MEANT.both * coverage * cosine
    : COVERAGE_STEEPNESS * (coverage - COVERAGE_EVEN);
  return 1 / (1 + Math.exp(-logit));
}
