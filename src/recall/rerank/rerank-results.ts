import { mixScores } from '../fusion/mix-scores.ts';
import { JUDGED_MAX, type Reranker } from './reranker.ts';

/** Ranked results -> the same as a model sees them, its scores mixed in; when it is late, as they are. */
export async function rerankResults<Result extends { title: string; snippet: string; score: number }>(
  results: Result[],
  query: string,
  reranker: Reranker,
): Promise<Result[]> {
  const passages = results.slice(0, JUDGED_MAX).map(({ title, snippet }) => `${title}. ${snippet}`);
  const judged = await reranker.judge(query, passages);
  return judged === null ? results : mixScores(results, judged);
}
