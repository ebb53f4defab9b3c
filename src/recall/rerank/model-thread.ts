import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { openModel } from './open-model.ts';

/** What the thread is asked. */
export type JudgeCall = { query: string; passages: string[]; budgetMs: number };
/** What it answers; `ready` or `failed` comes first, once. */
export type ThreadMessage =
  | { kind: 'ready' }
  | { kind: 'failed'; reason: string }
  | { kind: 'judged'; scores: number[] | null };

/* A model in a thread of its own: reports when it is ready, then judges one call at a time. */
assert(parentPort !== null, 'runs as a worker thread');
const port = parentPort;
const report = (message: ThreadMessage): void => port.postMessage(message);

const model = await openModel(String(workerData.folder)).catch((error: unknown) => {
  report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  return null;
});
if (model !== null) {
  port.on('message', async ({ query, passages, budgetMs }: JudgeCall) => {
    const until = performance.now() + budgetMs;
    const scores: number[] = [];
    try {
      for (const passage of passages) {
        if (performance.now() > until) break;
        scores.push(await model.score(query, passage));
      }
      report({ kind: 'judged', scores: scores.length === passages.length ? scores : null });
    } catch {
      // A text that the model cannot take leaves the lexical order as it is.
      report({ kind: 'judged', scores: null });
    }
  });
  report({ kind: 'ready' });
}
