import { performance } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { openModel } from './open-model.ts';

/** What the thread of the model answers. */
export type ModelCalls = { judge: typeof judge };

/* A model in a thread of its own, which judges one call at a time. */
const model = await openModel(String(workerData.folder));

serveCalls({ judge });

/** A score for each passage; null when they take more than `budgetMs` or the model cannot read one. */
async function judge({
  query,
  passages,
  budgetMs,
}: {
  query: string;
  passages: string[];
  budgetMs: number;
}): Promise<number[] | null> {
  const until = performance.now() + budgetMs;
  const scores: number[] = [];
  try {
    for (const passage of passages) {
      if (performance.now() > until) return null;
      scores.push(await model.score(query, passage));
    }
    return scores;
  } catch {
    return null;
  }
}
