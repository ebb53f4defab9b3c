import { Worker } from 'node:worker_threads';
import type { Log } from '../../platform/log.ts';
import { mixScores } from '../fusion/mix-scores.ts';
import type { JudgeCall, ThreadMessage } from './model-thread.ts';

/**
 * Judges passages for a query, each 0 to 1, in order; only the first `JUDGED_MAX`. Null when the model is busy, fails or
 * does not end within its time: the lexical order then stands.
 */
export type Reranker = {
  judge(query: string, passages: string[]): Promise<number[] | null>;
  close(): Promise<void>;
};

export const JUDGED_MAX = 8;
/** Eight passages take a MiniLM of six layers some 160 ms of one processor. */
const BUDGET_MS = 500;
/** The thread looks at its clock between passages only. */
const BUDGET_GRACE_MS = 100;
const START_TIMEOUT_MS = 30_000;

/** `budgetMs`: what one call may take. */
type RerankerDeps = { folder: string; log: Log; budgetMs?: number };

/** Opens the model of a folder in a thread. Rejects with one line that says why when it cannot be used. */
export async function createReranker(parts: RerankerDeps): Promise<Reranker> {
  const { folder, log, budgetMs = BUDGET_MS } = parts;
  const worker = new Worker(new URL('./model-thread.ts', import.meta.url), { workerData: { folder } });
  let answer: ((message: ThreadMessage) => void) | null = null;
  worker.on('message', (message: ThreadMessage) => answer?.(message));
  worker.on('error', (error) => {
    log.error({ error: error.message }, 'the model that reranks ended; results keep their lexical order');
    answer?.({ kind: 'failed', reason: error.message });
  });
  const next = (ms: number): Promise<ThreadMessage> =>
    new Promise((resolve) => {
      const late = setTimeout(() => resolve({ kind: 'failed', reason: 'timeout' }), ms);
      answer = (message) => {
        clearTimeout(late);
        resolve(message);
      };
    });
  const started = await next(START_TIMEOUT_MS);
  if (started.kind !== 'ready') {
    await worker.terminate();
    throw new Error(started.kind === 'failed' ? started.reason : 'the model did not start');
  }
  worker.unref();
  return {
    judge: createJudge(worker, { next, budgetMs }),
    close: async () => void (await worker.terminate()),
  };
}

type Asking = { next: (ms: number) => Promise<ThreadMessage>; budgetMs: number };

function createJudge(worker: Worker, { next, budgetMs }: Asking): Reranker['judge'] {
  let isBusy = false;
  return async (query, passages) => {
    // A queue would only make all of them late.
    if (isBusy || passages.length === 0) return null;
    isBusy = true;
    const call: JudgeCall = { query, passages: passages.slice(0, JUDGED_MAX), budgetMs };
    const message = next(budgetMs + BUDGET_GRACE_MS);
    worker.postMessage(call);
    const judged = await message;
    // Until a late thread has told so, whatever it says belongs to the old call.
    if (judged.kind === 'judged') isBusy = false;
    else
      void next(START_TIMEOUT_MS).then((late) => {
        isBusy = late.kind !== 'judged';
      });
    return judged.kind === 'judged' ? judged.scores : null;
  };
}

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
