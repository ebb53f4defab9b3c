import { createFetchFailure } from '../../contract/errors.ts';
import { createFairQueue, createShares, type Shares, type Tenant } from '../sharing/fair-queue.ts';

/** Hands out turns for requests to a host. */
export type Turns = {
  /** Resolves to the function that releases the turn, to be called once. Throws 'overloaded' if too many wait, or the signal's reason. */
  take(host: string, options: { tenant?: Tenant; signal: AbortSignal }): Promise<() => void>;
};

type TurnBounds = { perHostMax: number; totalMax: number; waitingMax: number };

/** A tenant may take all but about a quarter of a host's few turns. */
const PER_FREE_TURN = 3;

/** Creates fair turns, per host and in total: a slow host does not delay other hosts, nor one tenant another. */
export function createTurns({ perHostMax, totalMax, waitingMax }: TurnBounds): Turns {
  const queue = createFairQueue({
    slots: totalMax,
    waitingMax,
    overloaded: () => createFetchFailure('overloaded', 'too many pages are being fetched, try again shortly'),
  });
  const hosts = new Map<string, { shares: Shares; users: number }>();

  const enter = (host: string): Shares => {
    const known = hosts.get(host) ?? {
      shares: createShares({ slots: perHostMax, perFreeSlot: PER_FREE_TURN }),
      users: 0,
    };
    known.users += 1;
    hosts.set(host, known);
    return known.shares;
  };
  const leave = (host: string): void => {
    const known = hosts.get(host);
    if (known === undefined) return;
    known.users -= 1;
    if (known.users === 0) hosts.delete(host);
  };

  return {
    async take(host, { tenant, signal }) {
      const also = enter(host);
      try {
        const release = await queue.take({ tenant, signal, also });
        return () => {
          release();
          leave(host);
        };
      } catch (error) {
        leave(host);
        throw error;
      }
    },
  };
}
