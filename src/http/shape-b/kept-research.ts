import { LRUCache } from 'lru-cache';
import { RESEARCH_KEPT_MS } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forgettings.ts';
import type { Call, JsonObject } from '../calls/call.ts';
import { payerBehind, presentedBy } from '../calls/caller.ts';

/** Who asks: the key, wherever it was sent, or the network without one. */
type Asking = Pick<Call, 'caller' | 'headers' | 'address'>;

/** Finished research, each for its own caller alone. */
export type KeptResearch = {
  get(id: string, asking: Asking): Promise<JsonObject | null>;
  put(id: string, asking: Asking, body: JsonObject): void;
};

const CHARS_MAX = 32 * 1_048_576;

/** In memory, bounded in size and time; what was forgotten is dropped from it. */
export function createKeptResearch(forgettings: Pick<Forgettings, 'onForgotten' | 'notice'>): KeptResearch {
  const create = (): LRUCache<string, { body: JsonObject }> =>
    new LRUCache({
      maxSize: CHARS_MAX,
      sizeCalculation: ({ body }) => 500 + JSON.stringify(body).length,
      ttl: RESEARCH_KEPT_MS,
    });
  let kept = create();
  // Research that read a page before it was forgotten keeps its answer in the old one.
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

/** Where there are no keys, callers are told apart by what they present. */
function nameOf({ caller, ...presented }: Asking): string {
  const known = payerBehind(caller);
  return known.kind === 'key' ? known.keyId : presentedBy(presented);
}
