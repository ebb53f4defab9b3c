import { KEPT_MS } from '../../contract/limits.ts';
import type { SealedValues } from '../../platform/store/shared/sealed-values.ts';
import type { SharedStore } from '../../platform/store/shared/shared-store.ts';
import { createSharedValues } from '../../platform/store/shared/shared-values.ts';
import type { RequestId } from './cancellations.ts';

/** Requests of a tool client that another process than the answering one may get: the rest of an answer, and cancelling a call. */
export type SharedTools = {
  /** Finds a cut answer. `name` includes the caller, so that a cursor is of no use to others. */
  get(name: string): Promise<string | null>;
  set(name: string, text: string): void;
  /** Ends a call in whichever process runs it. */
  cancel(session: string, id: RequestId): void;
  onCancelled(cancel: (session: string, id: RequestId) => void): void;
  /** Removes all kept answers. */
  removeAll(): Promise<void>;
};

const CANCELLED = 'calls-cancelled';

export function createSharedTools(store: SharedStore, sealed: SealedValues): SharedTools {
  const rests = createSharedValues(store, sealed, 'rest');
  return {
    async get(name) {
      const text = await rests.get(name);
      return typeof text === 'string' ? text : null;
    },
    set: (name, text) => void rests.put(name, text, { ttlMs: KEPT_MS }),
    cancel(session, id) {
      const message = sealed.seal(CANCELLED, [session, id]);
      if (message !== null) store.publish(CANCELLED, message.toString('base64'));
    },
    onCancelled(cancel) {
      store.listen(CANCELLED, (message) => {
        const call = sealed.open(CANCELLED, Buffer.from(message, 'base64'));
        if (!Array.isArray(call)) return;
        const [session, id] = call;
        if (typeof session === 'string' && (typeof id === 'string' || typeof id === 'number'))
          cancel(session, id);
      });
    },
    removeAll: rests.removeAll,
  };
}
