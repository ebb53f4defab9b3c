import { LRUCache } from 'lru-cache';
import { RESEARCH_KEPT_MS } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forgettings.ts';
import type { Call, JsonObject } from '../calls/call.ts';
import { payerBehind, presentedBy } from '../calls/caller.ts';

/** The caller that owns a report: its key, wherever it was sent, or its network without a key. */
type Asking = Pick<Call, 'caller' | 'headers' | 'address'>;

/** Finished research; each report is readable only by its own caller. */
export type KeptResearch = {
  get(id: string, asking: Asking): Promise<JsonObject | null>;
  put(id: string, asking: Asking, body: JsonObject): void;
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
  const keyOf = (id: string, asking: Asking): string => `${nameOf(asking)} ${id}`;
  return {
    async get(id, asking) {
      await forgettings.notice();
      return kept.get(keyOf(id, asking))?.body ?? null;
    },
    put: (id, asking, body) => void kept.set(keyOf(id, asking), { body }),
  };
}

/** On services without keys, callers are distinguished by their credentials. */
function nameOf({ caller, ...presented }: Asking): string {
  const known = payerBehind(caller);
  return known.kind === 'key' ? known.keyId : presentedBy(presented);
}
