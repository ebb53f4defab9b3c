import { workerData } from 'node:worker_threads';
import { serveGroups } from '../platform/threads/serve-calls.ts';
import type { ThreadCall, ThreadOutcome } from '../platform/threads/thread.ts';
import { type IndexChange, openIndexWriter } from './index-writer.ts';

/** What the writer thread answers; a change with the number of pages that it wrote or removed. */
export type WriterCalls = {
  change(change: IndexChange): number;
  problems(): string[];
};

/* The one writer of the index, in a thread of its own. Changes that have arrived by the time it is free share one transaction and are answered after its commit. */
const CHANGES_PER_COMMIT_MAX = 256;

const writer = openIndexWriter(String(workerData.path));

serveGroups({
  groupMax: CHANGES_PER_COMMIT_MAX,
  answer(calls) {
    const isChange = calls.map(({ name }) => name === 'change');
    const changed = commit(calls.filter((_, place) => isChange[place]));
    return calls.map((_, place) => (isChange[place] ? (changed.shift() as ThreadOutcome) : findProblems()));
  },
  close: writer.close,
});

function commit(calls: ThreadCall[]): ThreadOutcome[] {
  if (calls.length === 0) return [];
  try {
    // local-index.ts types the argument.
    const outcomes = writer.apply(calls.map(({ argument }) => argument as IndexChange));
    return outcomes.map((outcome) =>
      outcome.ok ? { value: outcome.count } : { problem: new Error(outcome.error) },
    );
  } catch (problem) {
    return calls.map(() => ({ problem }));
  }
}

function findProblems(): ThreadOutcome {
  try {
    return { value: writer.problems() };
  } catch (problem) {
    return { problem };
  }
}
