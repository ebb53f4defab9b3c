import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import { mixScores } from '../recall/fusion/mix-scores.ts';
import { JUDGED_MAX, type Reranker } from '../recall/rerank/reranker.ts';
import type { RankedText, rankTexts } from '../text/passages/score-passages.ts';

export type RerankRequest = {
  query: string;
  documents: string[];
  signal: AbortSignal;
  /** The tenant, for fair shares. */
  tenant?: Tenant;
};

/** Every document by its index in the request, best first; `judged`: how many of the first a model has judged. */
export type RerankAnswer = { ranked: RankedText[]; judged: number };

/** Throws `Failure('overloaded')` when too many wait or it takes too long. */
export type Rerank = (request: RerankRequest) => Promise<RerankAnswer>;

/** Maximum number of documents that a model judges, `JUDGED_MAX` at a time: it is much slower than the built-in scorer. */
const MODEL_DOCUMENTS_MAX = 8 * JUDGED_MAX;

const RANK_TASK: ThreadTask<typeof rankTexts> = {
  module: resolveThreadModule('text/passages/score-passages'),
  name: 'rankTexts',
  limits: TASK_LIMITS.rerank,
};

/** Ranks documents for a query with the built-in scorer, off the event loop, and the best of them again with the model, if there is one. */
export function createRerank({ pool, reranker }: { pool: TaskPool; reranker: Reranker | null }): Rerank {
  return async ({ query, documents, signal, tenant }) => {
    const ranked = await rank(pool, [query, documents], { signal, tenant });
    if (reranker === null) return { ranked, judged: 0 };
    const best = ranked.slice(0, MODEL_DOCUMENTS_MAX).map(({ index }) => documents[index] ?? '');
    const scores = await judge(reranker, { query, best, signal });
    return { ranked: scores.length === 0 ? ranked : mixScores(ranked, scores), judged: scores.length };
  };
}

async function rank(
  pool: TaskPool,
  task: Parameters<typeof rankTexts>,
  options: Pick<RerankRequest, 'signal' | 'tenant'>,
): Promise<RankedText[]> {
  try {
    return await pool.run(RANK_TASK, task, options);
  } catch (error) {
    if (error instanceof TaskFailed)
      throw new Failure('overloaded', 'The documents could not be ranked in time.', { cause: error });
    throw error;
  }
}

/** Returns the scores of a model for the first documents, as many as it gives without queueing or refusing. */
async function judge(
  reranker: Reranker,
  { query, best, signal }: { query: string; best: string[]; signal: AbortSignal },
): Promise<number[]> {
  const scores: number[] = [];
  while (scores.length < best.length && !signal.aborted) {
    const judged = await reranker.judge(query, best.slice(scores.length, scores.length + JUDGED_MAX));
    if (judged === null) break;
    scores.push(...judged);
  }
  return scores;
}
