import type { Clock } from '../../clock.ts';

/**
 * A circuit breaker for a store that does not answer: after a few consecutive failures it blocks all calls for a while, then lets one
 * through as a probe. It also bounds concurrent calls, so that none queue up for a store that stalls.
 */
type CallGate = {
  isOpen(): boolean;
  /** Runs a call; resolves to null if it is blocked, fails, takes longer than `callMs`, or the signal fires. */
  pass<Result>(call: () => Promise<Result>, signal?: AbortSignal): Promise<Result | null>;
};

type GateBounds = { callMs: number; atOnceMax: number };

const FAILURES_MAX = 3;
const CLOSED_MS_FIRST = 250;
const CLOSED_MS_MAX = 5_000;

export function createCallGate(clock: Clock, { callMs, atOnceMax }: GateBounds): CallGate {
  let atOnce = 0;
  let failures = 0;
  let closedMs = CLOSED_MS_FIRST;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  const recordOutcome = (isAnswered: boolean): void => {
    if (isAnswered) {
      failures = 0;
      closedMs = CLOSED_MS_FIRST;
      return;
    }
    failures += 1;
    if (failures < FAILURES_MAX) return;
    closedUntil = clock.now() + closedMs;
    closedMs = Math.min(CLOSED_MS_MAX, closedMs * 2);
  };
  return {
    isOpen: () => failures < FAILURES_MAX,
    async pass(call, signal) {
      if (signal?.aborted) return null;
      const isProbe = failures >= FAILURES_MAX;
      if (atOnce >= atOnceMax || (isProbe && (isProbing || clock.now() < closedUntil))) return null;
      atOnce += 1;
      isProbing ||= isProbe;
      try {
        const result = await waitAtMost(callMs, call(), signal);
        recordOutcome(true);
        return result;
      } catch {
        // On any error the caller does without the store; a call that the caller aborted says nothing about the store.
        if (!signal?.aborted) recordOutcome(false);
        return null;
      } finally {
        atOnce -= 1;
        if (isProbe) isProbing = false;
      }
    },
  };
}

function waitAtMost<Result>(
  ms: number,
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Error('no reply in time'));
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    });
  });
}
