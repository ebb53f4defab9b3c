import { fetchFailed } from '../../errors.ts';

/** Hands out turns to talk to a host. */
export type Turns = {
  /** Resolves to the function that gives the turn back, to be called once. Throws 'overloaded' when too many wait, or the signal's reason. */
  take(host: string, signal: AbortSignal): Promise<() => void>;
};

export type TurnBounds = {
  perHostMax: number;
  totalMax: number;
  waitingPerHostMax: number;
  waitingMax: number;
};

type Waiting = { host: string; start: () => void };

/** First come, first served among those whose host has a turn free, so that one slow host does not hold up the others. */
export function createTurns(bounds: TurnBounds): Turns {
  const running = new Map<string, number>();
  let total = 0;
  const queue: Waiting[] = [];

  const isFree = (host: string): boolean =>
    total < bounds.totalMax && (running.get(host) ?? 0) < bounds.perHostMax;

  const start = (host: string): (() => void) => {
    total += 1;
    running.set(host, (running.get(host) ?? 0) + 1);
    return () => {
      total -= 1;
      const left = (running.get(host) ?? 1) - 1;
      if (left === 0) running.delete(host);
      else running.set(host, left);
      startNext();
    };
  };

  const startNext = (): void => {
    const at = queue.findIndex(({ host }) => isFree(host));
    if (at !== -1) queue.splice(at, 1)[0]?.start();
  };

  const wait = (host: string, signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        host,
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve(start(host));
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(waiting);
    });

  return {
    async take(host, signal) {
      signal.throwIfAborted();
      if (isFree(host)) return start(host);
      const sameHost = queue.filter((waiting) => waiting.host === host).length;
      if (queue.length >= bounds.waitingMax || sameHost >= bounds.waitingPerHostMax)
        throw fetchFailed('overloaded', 'too many pages of this host are being read, try again shortly');
      return wait(host, signal);
    },
  };
}
