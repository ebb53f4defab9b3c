import { Failure } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Bounds how often somebody may try a secret. */
export type Attempts = {
  /**
   * Counts a try of this network as failed, until the function that it returns takes that back: tries that are made at once are bounded too.
   * Throws `Failure('rate_limited')` while the network has failed too often.
   */
  begin(network: string): () => void;
};

/** Networks whose failures are remembered; beyond that the one that failed first is forgotten. */
const NETWORKS_MAX = 10_000;

export function createAttempts(options: { triesMax: number; windowMs: number; clock: Clock }): Attempts {
  const { triesMax, windowMs, clock } = options;
  const failures = new Map<string, { count: number; until: number }>();
  const current = (network: string): { count: number; until: number } => {
    const known = failures.get(network);
    return known !== undefined && clock.now() < known.until
      ? known
      : { count: 0, until: clock.now() + windowMs };
  };
  const assertMayTry = (network: string): void => {
    const { count, until } = current(network);
    if (count < triesMax) return;
    const seconds = Math.ceil((until - clock.now()) / 1_000);
    throw new Failure('rate_limited', `Too many attempts; try again in ${Math.ceil(seconds / 60)} min.`, {
      retryAfterSeconds: seconds,
    });
  };
  return {
    begin(network) {
      assertMayTry(network);
      const failure = current(network);
      failure.count += 1;
      failures.delete(network);
      failures.set(network, failure);
      const [first] = failures.keys();
      if (failures.size > NETWORKS_MAX && first !== undefined) failures.delete(first);
      return () => {
        failure.count -= 1;
      };
    },
  };
}
