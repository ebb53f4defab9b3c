import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { hasSecret } from '../pages/sharing/secret-in-address.ts';
import type { Log } from '../platform/log.ts';
import { makePrivateFolder } from '../platform/store/private-files.ts';
import type { TermFrequencies } from '../text/query/topic-terms.ts';
import { createIndexThread, type IndexThread } from './index-thread.ts';
import type { FoundPage, IndexedPage, LocalIndex } from './local-index-types.ts';

/** Changes that the writer holds at a time; further ones wait their turn here, up to the second bound. */
const CHANGES_OPEN_MAX = 64;
const CHANGES_WAITING_MAX = 10_000;

/**
 * Opens the index in the file `path` (made when absent): one writer thread with group commit, and as many reader threads as
 * there are spare cores. Rejects when the file is not an index of this version. Write calls reject when too many wait.
 * Pages whose address holds a secret are not taken in, and those that an earlier version took in are not told.
 */
export async function createLocalIndex({ path, log }: { path: string; log: Log }): Promise<LocalIndex> {
  makePrivateFolder(dirname(path));
  const writer = createIndexThread(new URL('./index-writer-thread.ts', import.meta.url), { path, log });
  await writer.call('ready', null);
  const readers = Array.from({ length: Math.max(1, availableParallelism() - 1) }, () =>
    createIndexThread(new URL('./index-reader-thread.ts', import.meta.url), { path, log }),
  );
  // A thread that has to start under load may find no descriptor left.
  await Promise.all(readers.map((reader) => reader.call('ready', null)));
  const change = createTurns(writer);
  const ask = (name: string, argument: unknown): Promise<unknown> => leastBusy(readers).call(name, argument);
  // The threads answer with what these types say: index-reader-thread.ts and index-writer-thread.ts.
  return {
    async put(pages) {
      const shared = pages.filter(({ url }) => !hasSecret(url));
      if (shared.length > 0) await change({ put: shared });
    },
    remove: async (urls) => (await change({ remove: urls })) as number,
    get: async (url) => (hasSecret(url) ? null : ((await ask('get', url)) as IndexedPage | null)),
    search: async (query) => {
      const found = (await ask('search', query)) as FoundPage[];
      return found.filter(({ url }) => !hasSecret(url));
    },
    frequencies: async (terms) => (await ask('frequencies', terms)) as TermFrequencies,
    size: async () => (await ask('size', null)) as { pages: number; hosts: number },
    version: async () => (await ask('version', null)) as string,
    problems: async () => (await writer.call('problems', null)) as string[],
    async close() {
      await Promise.all(readers.map((reader) => reader.close()));
      await writer.close();
    },
  };
}

function leastBusy(readers: IndexThread[]): IndexThread {
  return readers.reduce((best, reader) => (reader.open() < best.open() ? reader : best));
}

/** Lets a bounded number of changes through to the writer at a time, in order. */
function createTurns(writer: IndexThread): (change: unknown) => Promise<unknown> {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async (change) => {
    if (open >= CHANGES_OPEN_MAX) {
      if (waiting.length >= CHANGES_WAITING_MAX)
        throw new Error('the index is busy: too many changes wait to be written');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else open += 1;
    try {
      return await writer.call('change', change);
    } finally {
      // The place goes to the next in line, or is free again.
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    }
  };
}
