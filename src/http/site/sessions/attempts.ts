import { Failure } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Limits how often somebody may try a secret. */
export type Attempts = {
  /**
   * Looks something up by a secret. The try counts as failed while `look` runs and after it resolved to null, so that concurrent tries
   * are limited too. Throws `Failure('rate_limited')` while the network has failed too often.
   */
  guess<Found>(network: string, look: () => Promise<Found | null>): Promise<Found | null>;
};

/** Maximum networks whose failures are remembered; beyond it, the one whose last try is oldest is forgotten. */
const NETWORKS_MAX = 10_000;

export function createAttempts(options: { triesMax: number; windowMs: number; clock: Clock }): Attempts {
  const { triesMax, windowMs, clock } = options;
  const failures = new Map<string, { count: number; until: number }>();
  const findCurrent = (network: string): { count: number; until: number } => {
    const known = failures.get(network);
    return known !== undefined && clock.now() < known.until
      ? known
      : { count: 0, until: clock.now() + windowMs };
  };
  const assertMayTry = (network: string): void => {
    const { count, until } = findCurrent(network);
    if (count < triesMax) return;
    const seconds = Math.ceil((until - clock.now()) / 1_000);
    throw new Failure('rate_limited', `Too many attempts; try again in ${Math.ceil(seconds / 60)} min.`, {
      retryAfterSeconds: seconds,
    });
  };
  return {
    async guess(network, look) {
      assertMayTry(network);
      const failure = findCurrent(network);
      failure.count += 1;
      failures.delete(network);
      failures.set(network, failure);
      const [first] = failures.keys();
      if (failures.size > NETWORKS_MAX && first !== undefined) failures.delete(first);
      let hasFailed = false;
      try {
        const found = await look();
        hasFailed = found === null;
        return found;
      } finally {
        if (!hasFailed) failure.count -= 1;
      }
    },
  };
}
