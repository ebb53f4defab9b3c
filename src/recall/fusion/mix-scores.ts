import { makeNonIncreasing } from '../../text/scoring/relevance.ts';

/** Moves weak results after all others, keeping the order within each group; no weak one then scores above the others. */
export function putWeakLast<Result extends { score: number; isWeak?: boolean }>(
  results: readonly Result[],
): Result[] {
  const others = results.filter(({ isWeak }) => isWeak !== true);
  const most = others.reduce((least, { score }) => Math.min(least, score), 1);
  const weak = results.filter(({ isWeak }) => isWeak === true);
  return [...others, ...weak.map((result) => ({ ...result, score: Math.min(result.score, most) }))];
}

/**
 * Weight of the model's score in the mixed score. Chosen on questions about manuals, where 0.05 to 0.5 improve results; beyond 0.3 a
 * small model ranks pages first that only sound alike.
 */
const MODEL_SHARE = 0.3;
/** Score from which the model, which reads the passage, clears a weak result. */
const MODEL_LIKELY = 0.5;

/**
 * Mixes a model's scores (0 to 1) of the first `judged.length` results into theirs, and sorts them again. The others
 * follow in their old order, with scores no higher than the lowest mixed one. Weak results stay last.
 */
export function mixScores<Result extends { score: number; isWeak?: boolean }>(
  results: Result[],
  judged: number[],
): Result[] {
  const mixed = results
    .slice(0, judged.length)
    .map((result, place) => {
      const likely = judged[place] ?? 0;
      return {
        ...result,
        ...(likely >= MODEL_LIKELY ? { isWeak: false } : {}),
        score: (1 - MODEL_SHARE) * result.score + MODEL_SHARE * likely,
      };
    })
    .sort((left, right) => right.score - left.score);
  const floor = mixed.at(-1)?.score ?? 1;
  const rest = results
    .slice(judged.length)
    .map((result) => ({ ...result, score: Math.min(result.score, floor) }));
  return putWeakLast([...mixed, ...rest]);
}

/** Weight of the opened page's best passage in the mixed score. */
const PASSAGE_SHARE = 0.25;

type ScoredResult = { score: number; highlightScores?: number[] };

/**
 * Mixes the score of each opened page's best passage into the order. A page that was not opened counts as average: it neither
 * gains nor loses by being slow.
 */
export function rerankByPassages<Result extends ScoredResult>(
  results: readonly Result[],
  opened: readonly boolean[],
): Result[] {
  const best = scoreBestPassages(results, opened);
  if (best === null) return [...results];
  return results
    .map((result, place) => ({
      ...result,
      score: (1 - PASSAGE_SHARE) * result.score + PASSAGE_SHARE * Math.min(1, best[place] ?? 0),
    }))
    .sort((one, other) => other.score - one.score);
}

/** Number of leading results that are reordered. */
const REORDERED_MAX = 3;
/** Weights of the log odds of the best passage and of the logarithm of the place, relative to the log odds of the relevance. */
const PASSAGE_WEIGHT = 0.3;
const PLACE_WEIGHT = 0.5;
const ODDS_SMOOTHING = 1e-4;

/**
 * Reorders the first few results of the index by relevance, best passage and place, so that a page that states the answer passes one
 * that is only about the topic. The relevance scores stay, adjusted to descend.
 */
export function orderByPassages<Result extends ScoredResult>(
  results: readonly Result[],
  opened: readonly boolean[],
): Result[] {
  const best = scoreBestPassages(results, opened);
  if (best === null) return [...results];
  const computeWorth = ({ score }: Result, place: number): number =>
    computeLogOdds(score) +
    PASSAGE_WEIGHT * computeLogOdds(best[place] ?? 0) -
    PLACE_WEIGHT * Math.log(1 + place);
  const first = results
    .slice(0, REORDERED_MAX)
    .map((result, place) => ({ result, worth: computeWorth(result, place) }))
    .sort((one, other) => other.worth - one.worth)
    .map(({ result }) => result);
  const ordered = [...first, ...results.slice(REORDERED_MAX)];
  const scores = makeNonIncreasing(ordered.map(({ score }) => score));
  return ordered.map((result, place) => ({ ...result, score: scores[place] ?? result.score }));
}

/** Returns the score of each page's best passage, and their mean for pages that were not opened; null when none was opened. */
function scoreBestPassages(results: readonly ScoredResult[], opened: readonly boolean[]): number[] | null {
  const best = results.map(({ highlightScores }, place) =>
    opened[place] ? Math.max(0, ...(highlightScores ?? [])) : null,
  );
  const known = best.flatMap((score) => score ?? []);
  if (known.length === 0) return null;
  const mean = known.reduce((sum, score) => sum + score, 0) / known.length;
  return best.map((score) => score ?? mean);
}

const computeLogOdds = (chance: number): number => {
  const within = Math.min(1, Math.max(0, chance));
  return Math.log((within + ODDS_SMOOTHING) / (1 - within + ODDS_SMOOTHING));
};
