import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { StoreUnavailable } from '../contract/errors.ts';
import { hasSecret } from '../pages/sharing/secret-in-address.ts';
import type { Log } from '../platform/log.ts';
import { makePrivateFolder } from '../platform/store/private-files.ts';
import {
  createThread,
  type Thread,
  ThreadClosed,
  ThreadEnded,
  type ThreadProcedures,
} from '../platform/threads/thread.ts';
import type { ReaderCalls } from './index-reader.ts';
import type { IndexChange } from './index-writer.ts';
import type { WriterCalls } from './index-writer-thread.ts';
import type { LocalIndex } from './local-index-types.ts';
import { runRebuild } from './rebuild/run-rebuild.ts';

/** Changes that the writer holds at a time; further ones wait their turn here, up to the second bound. */
const CHANGES_OPEN_MAX = 64;
const CHANGES_WAITING_MAX = 10_000;

/**
 * Opens the index in the file `path` (made when absent): one writer thread with group commit, and as many reader threads as
 * there are spare cores. An index of an older layout is rebuilt in the background. Write calls reject when too many wait.
 * Pages whose address holds a secret are not indexed, and those that an earlier version indexed are not returned.
 */
export async function createLocalIndex({ path, log }: { path: string; log: Log }): Promise<LocalIndex> {
  makePrivateFolder(dirname(path));
  const open = <Calls extends ThreadProcedures>(file: string): Thread<Calls> =>
    openThread(file, { path, log });
  const writer = open<WriterCalls>('./index-writer-thread.ts');
  await orUnavailable(writer.start());
  const readers = Array.from({ length: Math.max(1, availableParallelism() - 1) }, () =>
    open<ReaderCalls>('./index-reader-thread.ts'),
  );
  // A thread that has to start under load may find no descriptor left.
  await orUnavailable(Promise.all(readers.map((reader) => reader.start())));
  const change = createTurns(writer);
  const rebuild = await orUnavailable(runRebuild(writer, log));
  const reader = (): Thread<ReaderCalls> => leastBusy(readers);
  return {
    async put(pages) {
      const shared = pages.filter(({ url }) => !hasSecret(url));
      if (shared.length > 0) await change({ put: shared });
    },
    remove: (urls) => change({ remove: urls }),
    async get(url) {
      if (hasSecret(url)) return null;
      const page = await orUnavailable(reader().call('get', url));
      return page ?? (rebuild.rebuilding() === null ? null : orUnavailable(writer.call('getOld', url)));
    },
    search: async (query) => {
      const found = await orUnavailable(reader().call('search', { ...query, query: query.query.text }));
      return found.filter(({ url }) => !hasSecret(url));
    },
    frequencies: (terms) => orUnavailable(reader().call('frequencies', terms)),
    size: () => orUnavailable(reader().call('size', undefined)),
    version: () => orUnavailable(reader().call('version', undefined)),
    problems: () => orUnavailable(writer.call('problems', undefined)),
    rebuilding: rebuild.rebuilding,
    rebuilt: rebuild.ended,
    async close() {
      await rebuild.stop();
      await Promise.all(readers.map((reader) => reader.close()));
      await writer.close();
    },
  };
}

function openThread<Calls extends ThreadProcedures>(
  file: string,
  { path, log }: { path: string; log: Log },
): Thread<Calls> {
  return createThread(new URL(file, import.meta.url), {
    data: { path },
    onLost(err, calls) {
      if (calls > 0) log.error({ err, calls }, 'a thread of the index stopped');
    },
  });
}

async function orUnavailable<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ThreadEnded || error instanceof ThreadClosed)) throw error;
    const { cause = error } = error;
    throw new StoreUnavailable('The index cannot be reached; try again in a moment.', { cause });
  }
}

function leastBusy(readers: Thread<ReaderCalls>[]): Thread<ReaderCalls> {
  return readers.reduce((best, reader) => (reader.open() < best.open() ? reader : best));
}

/** Lets a bounded number of changes through to the writer at a time, in order. */
function createTurns(writer: Thread<WriterCalls>): (change: IndexChange) => Promise<number> {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async (change) => {
    if (open >= CHANGES_OPEN_MAX) {
      if (waiting.length >= CHANGES_WAITING_MAX)
        throw new Error('the index is busy: too many changes wait to be written');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else open += 1;
    try {
      return await orUnavailable(writer.call('change', change));
    } finally {
      // The place goes to the next in line, or is free again.
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    }
  };
}
