import assert from 'node:assert/strict';
import { parentPort, workerData } from 'node:worker_threads';
import { openIndexReader } from './index-reader.ts';
import type { ThreadAnswer, ThreadCall } from './index-thread.ts';
import type { IndexQuery } from './local-index-types.ts';

/** A reader of the index in a thread of its own: one call at a time, in order. */
assert(parentPort !== null, 'runs as a worker thread');
const port = parentPort;
const reader = openIndexReader(String(workerData.path));

// The other side of this port is local-index.ts, which types the arguments.
const CALLS: Record<string, (argument: unknown) => unknown> = {
  search: (argument) => reader.search(argument as IndexQuery),
  get: (argument) => reader.get(argument as string),
  frequencies: (argument) => reader.frequencies(argument as string[]),
  size: () => reader.size(),
  version: () => reader.version(),
  ready: () => null,
  close: () => reader.close(),
};

port.on('message', ({ id, name, argument }: ThreadCall) => port.postMessage(answer(id, name, argument)));

function answer(id: number, name: string, argument: unknown): ThreadAnswer {
  try {
    return { id, ok: true, value: CALLS[name]?.(argument) };
  } catch (error) {
    return { id, ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}
