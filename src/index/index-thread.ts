import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../contract/errors.ts';
import type { Log } from '../platform/log.ts';

/** What goes to a thread and what comes back; plain data. */
export type ThreadCall = { id: number; name: string; argument: unknown };
export type ThreadAnswer = { id: number } & ({ ok: true; value: unknown } | { ok: false; error: string });

/** A worker thread that answers calls; when it dies, its open calls fail (StoreUnavailable) and the next call starts another. */
export type IndexThread = {
  call(name: string, argument: unknown): Promise<unknown>;
  /** Calls without an answer yet. */
  open(): number;
  /** Ends the thread after the answers to all calls made so far. */
  close(): Promise<void>;
};

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

export function createIndexThread(file: URL, parts: { path: string; log: Log }): IndexThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;

  const started = (): Worker => {
    if (worker !== null) return worker;
    const thread = new Worker(file, { workerData: { path: parts.path } });
    thread.on('message', (answer: ThreadAnswer) => settle(waiting, answer));
    thread.on('error', (error) => lose(thread, error));
    thread.on('exit', () => lose(thread, new Error('it ended')));
    worker = thread;
    return thread;
  };
  const startedOrThrow = (): Worker => {
    try {
      return started();
    } catch (cause) {
      throw stopped(cause);
    }
  };
  const lose = (thread: Worker, cause: Error): void => {
    if (worker !== thread) return;
    worker = null;
    if (waiting.size === 0) return;
    parts.log.error({ err: cause, calls: waiting.size }, 'a thread of the index stopped');
    for (const { reject } of waiting.values()) {
      reject(stopped(cause));
    }
    waiting.clear();
  };

  const call = (name: string, argument: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const thread = startedOrThrow();
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      thread.postMessage({ id: lastId, name, argument } satisfies ThreadCall);
    });
  return {
    call,
    open: () => waiting.size,
    async close() {
      const thread = worker;
      if (thread === null) return;
      await call('close', null);
      worker = null;
      await thread.terminate();
    },
  };
}

function stopped(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The index cannot be reached; try again in a moment.', { cause });
}

function settle(waiting: Map<number, Waiting>, answer: ThreadAnswer): void {
  const call = waiting.get(answer.id);
  waiting.delete(answer.id);
  if (answer.ok) call?.resolve(answer.value);
  else call?.reject(new Error(answer.error));
}
