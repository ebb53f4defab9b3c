import { LRUCache } from 'lru-cache';
import { RESEARCH_KEPT_MS } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forget.ts';
import type { Call, JsonObject } from './call.ts';
import { findPayer, identifySender } from './caller.ts';

const CHARS_MAX = 32 * 1_048_576;

/** The caller that owns a report: its key, wherever it was sent, or its network without a key. */
type ReportOwner = Pick<Call, 'caller' | 'headers' | 'address'>;

/** Finished reports; each is readable only by its own caller. */
export type KeptReports = {
  get(id: string, asking: ReportOwner): Promise<JsonObject | null>;
  put(id: string, asking: ReportOwner, body: JsonObject): void;
};

/** Keeps reports in memory, bounded in size and time. Deleting pages from the index drops all reports. */
export function createKeptReports(forgettings: Pick<Forgettings, 'onForgotten' | 'notice'>): KeptReports {
  const create = (): LRUCache<string, { body: JsonObject }> =>
    new LRUCache({
      maxSize: CHARS_MAX,
      sizeCalculation: ({ body }) => 500 + JSON.stringify(body).length,
      ttl: RESEARCH_KEPT_MS,
    });
  let kept = create();
  // A new cache, so that work that read a page before its deletion writes to the old one.
  forgettings.onForgotten(() => {
    kept = create();
  });
  const buildKey = (id: string, asking: ReportOwner): string => `${identifyOwner(asking)} ${id}`;
  return {
    async get(id, asking) {
      await forgettings.notice();
      return kept.get(buildKey(id, asking))?.body ?? null;
    },
    put: (id, asking, body) => void kept.set(buildKey(id, asking), { body }),
  };
}

/** On services without keys, callers are distinguished by their credentials. */
function identifyOwner({ caller, ...presented }: ReportOwner): string {
  const known = findPayer(caller);
  return known.kind === 'key' ? known.keyId : identifySender(presented);
}
