/** What the model's judgement counts in the mixed score; the lexical score counts the rest. */
const MODEL_SHARE = 0.5;

/**
 * Results best first, of which a model judged the first `judged.length` (each 0 to 1) -> the same with mixed scores, best first.
 * Those that were not judged keep their order behind, with scores that do not rise above.
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

/** What the best passage of the opened page counts in the mixed score. */
const PASSAGE_SHARE = 0.25;

type Scored = { score: number; highlightScores?: number[] };

/**
 * Lets the best passage of each page that was opened have a say in the order. A page that was not opened is taken to have the
 * mean of the others: it must neither win nor lose by being slow.
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
