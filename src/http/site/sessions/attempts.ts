import { Failure } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Bounds how often somebody may try a secret. */
export type Attempts = {
  /** Throws `Failure('rate_limited')` while this network has failed too often. */
  assertMayTry(network: string): void;
  failed(network: string): void;
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
  return {
    assertMayTry(network) {
      const { count, until } = current(network);
      if (count < triesMax) return;
      const seconds = Math.ceil((until - clock.now()) / 1_000);
      throw new Failure('rate_limited', `Too many attempts; try again in ${Math.ceil(seconds / 60)} min.`, {
        retryAfterSeconds: seconds,
      });
    },
    failed(network) {
      const { count, until } = current(network);
      failures.delete(network);
      failures.set(network, { count: count + 1, until });
      const [first] = failures.keys();
      if (failures.size > NETWORKS_MAX && first !== undefined) failures.delete(first);
    },
  };
}
