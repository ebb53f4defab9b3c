import type { Chunk } from '../chunk/chunk.ts';
import type { Query } from '../query/read-query.ts';
import { guessLanguage } from '../words/guess-language.ts';
import { stemLanguage } from '../words/stems.ts';
import { type ChunkTerms, readChunks } from './chunk-terms.ts';
import { FEATURES, type Feature, featuresOf, type PassageFeatures } from './features.ts';
import { WEIGHTS, WEIGHTS_WITH_VECTORS } from './weights.ts';
import { englishVectors } from './word-vectors.ts';

/**
 * How well a chunk matches a query. `score`: 0 to 1, comparable between the pages of one search. `coverage`: the share of the query's
 * terms (weighted by rarity) that the chunk has. `logit`: the order of the chunks within their page.
 */
type PassageScore = { score: number; coverage: number; logit: number };

/** A page whose best chunk covers this share of the query is relevant with probability 0.5; and the slope there. */
const COVERAGE_EVEN = 0.5;
const COVERAGE_STEEPNESS = 9;
/** The weight of a word of similar meaning relative to the word itself. */
const NEAR_SHARE = 0.5;
/** How fast the score falls with the logit's distance from the best chunk of the page. */
const FALL = 0.5;

const readings = new WeakMap<readonly Chunk[], { language: string | null; terms: ChunkTerms }>();

/** Scores the chunks of one page for a query, in page order; all 0 when no chunk matches or the query has no terms. */
export function scorePassages(
  chunks: readonly Chunk[],
  query: Query,
  language: string | null,
): PassageScore[] {
  const known = language ?? guessLanguage(chunks);
  const asked = query.forPassages(known);
  if (asked.terms.length === 0) return chunks.map(() => ({ score: 0, coverage: 0, logit: 0 }));
  const vectors = stemLanguage(known) === 'en' ? englishVectors() : null;
  const features = featuresOf(termsOf(chunks, known), asked, vectors);
  const logits = logitsOf(features, vectors === null ? WEIGHTS : WEIGHTS_WITH_VECTORS);
  let best = 0;
  for (let chunk = 1; chunk < logits.length; chunk += 1)
    if ((logits[chunk] ?? 0) > (logits[best] ?? 0)) best = chunk;
  const certainty = certaintyOf(features, best);
  return chunks.map((_, chunk) => ({
    score: certainty * Math.exp(FALL * ((logits[chunk] ?? 0) - (logits[best] ?? 0))),
    coverage: features.covered[chunk] ?? 0,
    logit: logits[chunk] ?? 0,
  }));
}

/** The terms of the chunks, read once for all queries to the same list. */
function termsOf(chunks: readonly Chunk[], language: string | null): ChunkTerms {
  const known = readings.get(chunks);
  if (known !== undefined && known.language === language) return known.terms;
  const terms = readChunks(chunks, language);
  readings.set(chunks, { language, terms });
  return terms;
}

function logitsOf(
  { columns, covered }: PassageFeatures,
  weights: Readonly<Record<Feature, number>>,
): Float64Array {
  const logits = new Float64Array(covered.length);
  for (const feature of FEATURES) {
    const weight = weights[feature];
    const column = columns[feature];
    for (let chunk = 0; chunk < logits.length; chunk += 1)
      logits[chunk] = (logits[chunk] ?? 0) + weight * (column[chunk] ?? 0);
  }
  return logits;
}

/** The probability that the best chunk of a page is relevant; 0 when it has no term of the query. */
function certaintyOf({ covered, nearlyCovered }: PassageFeatures, best: number): number {
  const share = (covered[best] ?? 0) + NEAR_SHARE * (nearlyCovered[best] ?? 0);
  return share === 0 ? 0 : 1 / (1 + Math.exp(-COVERAGE_STEEPNESS * (share - COVERAGE_EVEN)));
}
