import { performance } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { openModel } from './open-model.ts';

/** Calls that the model thread serves. */
export type ModelCalls = { judge: typeof judge };

/* Each model thread serves one call at a time. */
const model = await openModel(String(workerData.folder));

serveCalls({ judge });

/** Scores each passage; null if that takes more than `budgetMs` or the model cannot read one. */
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
