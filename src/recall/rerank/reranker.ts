/**
 * The reranker: an optional model in its own thread that scores the first few results of a search for the query, and the passages of a page.
 * It improves the order but is never required: when it is busy, late or broken, results keep their lexical order.
 */
import type { Log } from '../../platform/log.ts';
import { awaitUnlessAborted } from '../../platform/net/exchange.ts';
import { createThread, ThreadNotStarted } from '../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { mixScores } from '../fusion/mix-scores.ts';
import type { ModelCalls } from './model-thread.ts';

/**
 * Scores the first `JUDGED_MAX` passages for a query, each 0 to 1, in order. Null when the model is busy, fails or
 * takes too long: the results then keep their lexical order.
 */
export type Reranker = {
  judge(query: string, passages: string[]): Promise<number[] | null>;
  /**
   * Scores passages of one page by late interaction: how close the tokens of the query are to some token of the passage, on average.
   * Fewer than `JUDGED_MAX` when there is no time for all. Null also for a model that reads both texts at once.
   */
  compareTokens(query: string, passages: string[]): Promise<number[] | null>;
  close(): Promise<void>;
};

export const JUDGED_MAX = 8;
/** Eight passages take a six-layer MiniLM about 160 ms of CPU time. */
const BUDGET_MS = 500;
/** Extra time, because the thread checks the clock only between passages. */
const BUDGET_GRACE_MS = 100;
const START_TIMEOUT_MS = 30_000;

/** `budgetMs`: time limit of one call. */
type RerankerDeps = { folder: string; log: Log; budgetMs?: number };

/** Opens the model of a folder in a thread. If it cannot be used, rejects with one line that says why. */
export async function createReranker({ folder, log, budgetMs = BUDGET_MS }: RerankerDeps): Promise<Reranker> {
  const thread = createThread<ModelCalls>(resolveThreadModule('recall/rerank/model-thread'), {
    data: { folder },
    onLost(err) {
      if (isOpen)
        log.error({ err }, 'the thread of the model that reranks ended; the next search starts it again');
    },
  });
  let isOpen = false;
  try {
    await awaitUnlessAborted(thread.start(), AbortSignal.timeout(START_TIMEOUT_MS));
    isOpen = true;
  } catch (error) {
    await thread.end();
    throw error instanceof ThreadNotStarted ? error.cause : new Error('the model did not start in time');
  }
  const run = async (call: keyof ModelCalls, query: string, passages: string[]): Promise<number[] | null> => {
    // A queue would only make all of them late.
    if (thread.open() > 0 || passages.length === 0) return null;
    const scored = thread.call(call, { query, passages: passages.slice(0, JUDGED_MAX), budgetMs });
    return awaitUnlessAborted(scored, AbortSignal.timeout(budgetMs + BUDGET_GRACE_MS)).catch(() => null);
  };
  return {
    judge: (query, passages) => run('judge', query, passages),
    compareTokens: (query, passages) => run('compareTokens', query, passages),
    close: () => thread.end(),
  };
}

/** Mixes the scores of a model into ranked results; null when it is busy or late. */
export async function rerankResults<
  Result extends { title: string; snippet: string; score: number; isWeak?: boolean },
>(results: Result[], query: string, reranker: Reranker): Promise<Result[] | null> {
  const passages = results.slice(0, JUDGED_MAX).map(({ title, snippet }) => `${title}. ${snippet}`);
  const judged = await reranker.judge(query, passages);
  return judged === null ? null : mixScores(results, judged);
}
