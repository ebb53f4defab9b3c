/** As much of a score comes from the best passage of the opened page. */
const SHARE = 0.25;

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
      score: (1 - SHARE) * result.score + SHARE * Math.min(1, best[place] ?? mean),
    }))
    .sort((one, other) => other.score - one.score);
}
