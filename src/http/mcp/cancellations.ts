/** Running calls by session and request id. A cancellation reaches only calls of its own session. */
type Cancellations = {
  /** Registers a call; returns the function that removes it once it is over. */
  keep(session: string, id: RequestId, call: AbortController): () => void;
  cancel(session: string, id: RequestId): void;
};

export type RequestId = string | number;

export function createCancellations(): Cancellations {
  const running = new Map<string, AbortController>();
  // 1 and "1" are different ids.
  const buildKey = (session: string, id: RequestId): string => JSON.stringify([session, id]);
  return {
    keep(session, id, call) {
      const name = buildKey(session, id);
      running.set(name, call);
      return () => {
        if (running.get(name) === call) running.delete(name);
      };
    },
    cancel(session, id) {
      running.get(buildKey(session, id))?.abort();
    },
  };
}
