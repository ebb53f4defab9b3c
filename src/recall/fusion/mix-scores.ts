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
