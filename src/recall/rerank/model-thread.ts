import { performance } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { openModel } from './open-model.ts';

/** Calls that the model thread serves. */
export type ModelCalls = { judge: typeof judge; compareTokens: typeof compareTokens };

/* Each model thread serves one call at a time. */
const model = await openModel(String(workerData.folder));

serveCalls({ judge, compareTokens });

type Passages = { query: string; passages: string[]; budgetMs: number };

/** Scores each passage; null if that takes more than `budgetMs` or the model cannot read one. */
async function judge({ query, ...task }: Passages): Promise<number[] | null> {
  const scores = await scoreInTime(task, (passage) => model.score(query, passage));
  return scores.length === task.passages.length ? scores : null;
}

/** Scores the first passages by late interaction, as many as there is time for; null if it can score none. */
async function compareTokens({ query, ...task }: Passages): Promise<number[] | null> {
  const scores = await scoreInTime(task, (passage) => model.compareTokens(query, passage));
  return scores.length === 0 ? null : scores;
}

async function scoreInTime(
  { passages, budgetMs }: Omit<Passages, 'query'>,
  scorePassage: (passage: string) => Promise<number | null>,
): Promise<number[]> {
  const until = performance.now() + budgetMs;
  const scores: number[] = [];
  try {
    for (const passage of passages) {
      const score = performance.now() > until ? null : await scorePassage(passage);
      if (score === null) break;
      scores.push(score);
    }
  } catch {
    // A passage that the model cannot read ends the scores.
  }
  return scores;
}
