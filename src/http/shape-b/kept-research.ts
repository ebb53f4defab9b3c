import { LRUCache } from 'lru-cache';
import { RESEARCH_KEPT_MS } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forgettings.ts';
import type { Call, JsonObject } from '../calls/call.ts';
import { findPayer, identifySender } from '../calls/caller.ts';

/** The caller that owns a report: its key, wherever it was sent, or its network without a key. */
type ResearchOwner = Pick<Call, 'caller' | 'headers' | 'address'>;

/** Finished research; each report is readable only by its own caller. */
export type KeptResearch = {
  get(id: string, asking: ResearchOwner): Promise<JsonObject | null>;
  put(id: string, asking: ResearchOwner, body: JsonObject): void;
};

const CHARS_MAX = 32 * 1_048_576;

/** Keeps reports in memory, bounded in size and time. Deleting pages from the index drops all reports. */
export function createKeptResearch(forgettings: Pick<Forgettings, 'onForgotten' | 'notice'>): KeptResearch {
  const create = (): LRUCache<string, { body: JsonObject }> =>
    new LRUCache({
      maxSize: CHARS_MAX,
      sizeCalculation: ({ body }) => 500 + JSON.stringify(body).length,
      ttl: RESEARCH_KEPT_MS,
    });
  let kept = create();
  // A new cache, so that research that read a page before its deletion writes to the old one.
  forgettings.onForgotten(() => {
    kept = create();
  });
  const buildKey = (id: string, asking: ResearchOwner): string => `${identifyOwner(asking)} ${id}`;
  return {
    async get(id, asking) {
      await forgettings.notice();
      return kept.get(buildKey(id, asking))?.body ?? null;
    },
    put: (id, asking, body) => void kept.set(buildKey(id, asking), { body }),
  };
}

/** On services without keys, callers are distinguished by their credentials. */
function identifyOwner({ caller, ...presented }: ResearchOwner): string {
  const known = findPayer(caller);
  return known.kind === 'key' ? known.keyId : identifySender(presented);
}
