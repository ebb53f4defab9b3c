import type { LocalIndex } from '../index/local-index-types.ts';
import type { Clock } from '../platform/clock.ts';
import type { FairQueue } from '../platform/fairness/fair-queue.ts';
import type { LocalSource } from './recall.ts';
import { createCallRecord, summarizeCalls } from './upstream/source-wire.ts';
import { NOTHING_KNOWN, type SourceReading } from './upstream/upstream-types.ts';

/** Wraps the local index as a source of candidates. */
export function createLocalSource(index: LocalIndex): LocalSource {
  return {
    name: 'index',
    async find({ signal, tenant: _tenant, keep: _keep, via: _via, ...query }) {
      const found = await index.search(query, signal);
      return found.map((page) => ({ ...page, source: 'index' }));
    },
    version: index.version,
    isUnaffected: index.isUnaffected,
    isEmpty: async () => index.rebuilding() === null && (await index.size()).pages === 0,
  };
}

/** Wraps the local source so that its searches wait in a bounded queue; an aborted search leaves the queue. */
export function queueSearches(local: LocalSource, queue: Pick<FairQueue, 'run'>): LocalSource {
  return {
    ...local,
    find: (query) => queue.run({ tenant: query.tenant, signal: query.signal }, () => local.find(query)),
  };
}

/** Wraps the local source to record its calls. `source` is null if `RECALL` does not name it. */
export function recordCalls(
  local: LocalSource,
  { isAsked, clock }: { isAsked: boolean; clock: Clock },
): { source: LocalSource | null; reading(): SourceReading } {
  const record = createCallRecord();
  const find: LocalSource['find'] = async (query) => {
    const begun = clock.now();
    try {
      const found = await local.find(query);
      record.add({ ok: true, ms: clock.now() - begun });
      return found;
    } catch (error) {
      record.add({ ok: false, ms: clock.now() - begun });
      throw error;
    }
  };
  return {
    source: isAsked ? { ...local, find } : null,
    reading: () => ({
      ...NOTHING_KNOWN,
      name: local.name,
      about: 'the pages that were read, crawled or imported here',
      scope: 'index',
      terms: null,
      state: isAsked ? 'on' : 'off',
      why: isAsked ? null : 'RECALL does not name it',
      ...summarizeCalls(record),
    }),
  };
}
