/**
 * Share of the model's judgement in the mixed score. Chosen on questions over manuals, where 0.05 to 0.5 gain; beyond 0.3 a small model
 * puts pages first that only sound alike.
 */
const MODEL_SHARE = 0.3;

/**
 * Mixes a model's judgements (0 to 1) of the first `judged.length` results into their scores, and sorts them again. The others
 * follow in their old order, with scores no higher than the lowest mixed one.
 */
export function mixScores<Result extends { score: number }>(results: Result[], judged: number[]): Result[] {
  const mixed = results
    .slice(0, judged.length)
    .map((result, place) => ({
      ...result,
      score: (1 - MODEL_SHARE) * result.score + MODEL_SHARE * (judged[place] ?? 0),
    }))
    .sort((left, right) => right.score - left.score);
  const floor = mixed.at(-1)?.score ?? 1;
  const rest = results
    .slice(judged.length)
    .map((result) => ({ ...result, score: Math.min(result.score, floor) }));
  return [...mixed, ...rest];
}

/** Share of the opened page's best passage in the mixed score. */
const PASSAGE_SHARE = 0.25;

type Scored = { score: number; highlightScores?: number[] };

/**
 * Mixes the score of each opened page's best passage into the order. A page that was not opened counts as average: it neither
 * gains nor loses by being slow.
 */
export function rerankByPassages<Result extends Scored>(
  results: readonly Result[],
  opened: readonly boolean[],
): Result[] {
  const best = results.map(({ highlightScores }, place) =>
    opened[place] ? Math.max(0, ...(highlightScores ?? [])) : null,
  );
  const known = best.flatMap((score) => score ?? []);
  if (known.length === 0) return [...results];
  const mean = known.reduce((sum, score) => sum + score, 0) / known.length;
  return results
    .map((result, place) => ({
      ...result,
      score: (1 - PASSAGE_SHARE) * result.score + PASSAGE_SHARE * Math.min(1, best[place] ?? mean),
    }))
    .sort((one, other) => other.score - one.score);
}
