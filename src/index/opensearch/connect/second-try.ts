import { setTimeout as pause } from 'node:timers/promises';

/**
 * Second tries for what does not answer: the first answer counts. A node that hangs would else cost each request that meets it the whole
 * of its time. They stay within a share of all requests, so that a cluster that is busy is not asked twice.
 */
type SecondTries = {
  /** `attempt` asks a node, another one each time. */
  race<Answer>(attempt: () => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
};

/** Share of the requests that may be asked a second time, and how many at once after a quiet while. */
const SHARE = 0.05;
const SAVED_MAX = 20;
/** A request is late after several times what they take, within these bounds. */
const TIMES_USUAL = 4;
const LATE_MS = { least: 60, most: 1_000 };
/** Weight of the last answer in the usual time. */
const LAST_WEIGHT = 0.1;

type Time = { now(): number; wait(ms: number, signal: AbortSignal): Promise<unknown> };

const REAL_TIME: Time = {
  now: () => performance.now(),
  wait: (ms, signal) => pause(ms, undefined, { signal }),
};

export function createSecondTries({ now, wait }: Time = REAL_TIME): SecondTries {
  let saved = SAVED_MAX;
  let usualMs = LATE_MS.least / TIMES_USUAL;
  const timed = async <Answer>(attempt: () => Promise<Answer>): Promise<Answer> => {
    const begun = now();
    const answer = await attempt();
    usualMs += (now() - begun - usualMs) * LAST_WEIGHT;
    return answer;
  };
  return {
    async race(attempt, signal) {
      saved = Math.min(SAVED_MAX, saved + SHARE);
      const first = timed(attempt);
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
        const second = timed(attempt);
        // What fails leaves the other one its time; if both do, the first says why.
        return await Promise.any([first, second]).catch(() => first);
      } finally {
        ended.abort();
      }
    },
  };
}
