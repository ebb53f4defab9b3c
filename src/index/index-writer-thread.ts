import assert from 'node:assert/strict';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadCall } from './index-thread.ts';
import { type IndexChange, openIndexWriter } from './index-writer.ts';

/**
 * The one writer of the index, in a thread of its own. Changes that have arrived by the time it is free share one
 * transaction and are answered after its commit.
 */
const CHANGES_PER_COMMIT_MAX = 256;

assert(parentPort !== null, 'runs as a worker thread');
const port = parentPort;
const writer = openIndexWriter(String(workerData.path));
let queue: { id: number; change: IndexChange }[] = [];
let scheduled = false;

port.on('message', ({ id, name, argument }: ThreadCall) => {
  if (name === 'change') {
    // The other side of this port is local-index.ts, which types the argument.
    queue.push({ id, change: argument as IndexChange });
    if (queue.length >= CHANGES_PER_COMMIT_MAX) commit();
    else schedule();
    return;
  }
  commit();
  attempt([id], () => {
    if (name === 'close') writer.close();
    const value = name === 'problems' ? writer.problems() : null;
    port.postMessage({ id, ok: true, value } satisfies ThreadAnswer);
  });
});

/** Waits one turn, so that the messages that are there already join the transaction. */
function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(commit);
}

function commit(): void {
  scheduled = false;
  const group = queue;
  queue = [];
  if (group.length === 0) return;
  attempt(
    group.map(({ id }) => id),
    () => {
      const outcomes = writer.apply(group.map(({ change }) => change));
      for (const [index, outcome] of outcomes.entries()) {
        const id = group[index]?.id ?? 0;
        port.postMessage(
          (outcome.ok ? { id, ok: true, value: outcome.count } : { id, ...outcome }) satisfies ThreadAnswer,
        );
      }
    },
  );
}

function attempt(ids: number[], work: () => void): void {
  try {
    work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    for (const id of ids) port.postMessage({ id, ok: false, error: message } satisfies ThreadAnswer);
  }
}
