import { setTimeout as pause } from 'node:timers/promises';
import type { SharedValues, Token } from './shared-values.ts';

/** Work that one of several processes does, and where the others look for what it made. */
export type Once<Result> = {
  /** The lease of whoever does the work. */
  leaseMs: number;
  /** Others wait no longer for a holder, which may have died, and then do the work themselves. */
  patienceMs: number;
  signal: AbortSignal;
  /** What another process has made meanwhile; null: nothing yet. */
  look(): Promise<Result | null>;
  /** Without a token the work is done beside others', because the store does not answer or the holder came to nothing. */
  work(token: Token | undefined): Promise<Result>;
};

const LOOK_MS_FIRST = 10;
const LOOK_MS_MAX = 200;

/**
 * Does work that several processes are asked for at once in one of them; the others wait for what it makes. A wait ends with the
 * holder's lease, or their patience: if it made nothing that may be shared, everybody works alone, and nobody waits twice.
 */
export async function onceAcross<Result>(
  values: Pick<SharedValues, 'lease' | 'release'>,
  identity: string,
  { leaseMs, patienceMs, signal, look, work }: Once<Result>,
): Promise<Result> {
  let waitedFor: Token | null = null;
  let waitedMs = 0;
  for (let waitMs = LOOK_MS_FIRST; ; waitMs = Math.min(LOOK_MS_MAX, waitMs * 2)) {
    const lease = await values.lease(identity, leaseMs, signal);
    if (lease !== null && 'token' in lease)
      return holding(values, identity, { token: lease.token, look, work });
    const holder = lease?.by ?? null;
    const isOver = waitedMs >= patienceMs || (waitedFor !== null && holder !== waitedFor);
    if (holder === null || signal.aborted || isOver) return (await look()) ?? work(undefined);
    waitedFor = holder;
    await pause(waitMs, undefined, { signal }).catch(() => {});
    waitedMs += waitMs;
    const made = await look();
    if (made !== null) return made;
  }
}

/** The last holder may have finished between the look and the lease. */
async function holding<Result>(
  values: Pick<SharedValues, 'release'>,
  identity: string,
  { token, look, work }: Pick<Once<Result>, 'look' | 'work'> & { token: Token },
): Promise<Result> {
  try {
    return (await look()) ?? (await work(token));
  } finally {
    await values.release(identity, token);
  }
}
