/** Calls under way by session and request id: a cancellation finds its call, and only within its own session. */
type Cancellations = {
  /** Returns what forgets the call when it is over. */
  keep(session: string, id: RequestId, call: AbortController): () => void;
  cancel(session: string, id: RequestId): void;
};

export type RequestId = string | number;

export function createCancellations(): Cancellations {
  const underWay = new Map<string, AbortController>();
  // 1 and "1" are different ids.
  const nameOf = (session: string, id: RequestId): string => JSON.stringify([session, id]);
  return {
    keep(session, id, call) {
      const name = nameOf(session, id);
      underWay.set(name, call);
      return () => {
        if (underWay.get(name) === call) underWay.delete(name);
      };
    },
    cancel(session, id) {
      underWay.get(nameOf(session, id))?.abort();
    },
  };
}
