import { setTimeout as pause } from 'node:timers/promises';

/**
 * Hedged requests: a request that is late is sent a second time, and the first answer counts. Otherwise a hanging node would cost each
 * request that reaches it the full time limit. Second tries are limited to a share of all requests, so that they do not double the
 * load of a busy cluster.
 */
type RequestHedger = {
  /** `attempt` asks a node, a different one each time. */
  race<Answer>(attempt: () => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
};

/** Share of the requests that may be sent a second time, and the maximum allowance saved up in quiet times. */
const SHARE = 0.05;
const SAVED_MAX = 20;
/** A request is late after this multiple of the usual time, within these bounds. */
const TIMES_USUAL = 4;
const LATE_MS = { least: 60, most: 1_000 };
/** Weight of the latest answer in the moving average of the usual time. */
const LAST_WEIGHT = 0.1;

type Time = { now(): number; wait(ms: number, signal: AbortSignal): Promise<unknown> };

const REAL_TIME: Time = {
  now: () => performance.now(),
  wait: (ms, signal) => pause(ms, undefined, { signal }),
};

export function createRequestHedger({ now, wait }: Time = REAL_TIME): RequestHedger {
  let saved = SAVED_MAX;
  let usualMs = LATE_MS.least / TIMES_USUAL;
  const measureAttempt = async <Answer>(attempt: () => Promise<Answer>): Promise<Answer> => {
    const begun = now();
    const answer = await attempt();
    usualMs += (now() - begun - usualMs) * LAST_WEIGHT;
    return answer;
  };
  return {
    async race(attempt, signal) {
      saved = Math.min(SAVED_MAX, saved + SHARE);
      const first = measureAttempt(attempt);
      const ended = new AbortController();
      const lateMs = Math.min(LATE_MS.most, Math.max(LATE_MS.least, usualMs * TIMES_USUAL));
      const until = AbortSignal.any([signal, ended.signal]);
      const late = wait(lateMs, until).then(
        () => 'late' as const,
        () => 'over' as const,
      );
      try {
        const settled = first.then(
          () => 'over' as const,
          () => 'over' as const,
        );
        if ((await Promise.race([settled, late])) === 'over' || saved < 1) return await first;
        saved -= 1;
        const second = measureAttempt(attempt);
        // If one try fails, the other may still succeed; if both fail, the first one's error is thrown.
        return await Promise.any([first, second]).catch(() => first);
      } finally {
        ended.abort();
      }
    },
  };
}
