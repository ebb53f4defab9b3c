import { setTimeout as pause } from 'node:timers/promises';
import type { SharedValues, Token } from './shared-values.ts';

/** Work that one of several processes does, and how the others find its result. */
export type OnceWork<Result> = {
  /** Duration of the lease of the process that does the work. */
  leaseMs: number;
  /** Maximum time that others wait for a holder, which may have died; then they do the work themselves. */
  waitTimeoutMs: number;
  signal: AbortSignal;
  /** Resolves to the result of another process; null: there is none yet. */
  look(): Promise<Result | null>;
  /** Does the work. Without a token it runs unleased, because the store does not answer or the holder produced nothing. */
  work(token: Token | undefined): Promise<Result>;
};

const LOOK_MS_FIRST = 10;
const LOOK_MS_MAX = 200;

/**
 * Runs work that several processes need at once in only one of them; the others wait for its result. A wait ends with the holder's lease or
 * after `waitTimeoutMs`; if there is no result to share by then, each process does the work itself and does not wait again.
 */
export async function runOnceAcross<Result>(
  values: Pick<SharedValues, 'lease' | 'release'>,
  identity: string,
  { leaseMs, waitTimeoutMs, signal, look, work }: OnceWork<Result>,
): Promise<Result> {
  let waitedFor: Token | null = null;
  let waitedMs = 0;
  for (let waitMs = LOOK_MS_FIRST; ; waitMs = Math.min(LOOK_MS_MAX, waitMs * 2)) {
    const lease = await values.lease(identity, leaseMs, signal);
    if (lease !== null && 'token' in lease)
      return runAsHolder(values, identity, { token: lease.token, look, work });
    const holder = lease?.by ?? null;
    const isOver = waitedMs >= waitTimeoutMs || (waitedFor !== null && holder !== waitedFor);
    if (holder === null || signal.aborted || isOver) return (await look()) ?? work(undefined);
    waitedFor = holder;
    await pause(waitMs, undefined, { signal }).catch(() => {});
    waitedMs += waitMs;
    const made = await look();
    if (made !== null) return made;
  }
}

/** Does the work unless the previous holder finished it between the last `look` and the lease. */
async function runAsHolder<Result>(
  values: Pick<SharedValues, 'release'>,
  identity: string,
  { token, look, work }: Pick<OnceWork<Result>, 'look' | 'work'> & { token: Token },
): Promise<Result> {
  try {
    return (await look()) ?? (await work(token));
  } finally {
    await values.release(identity, token);
  }
}
