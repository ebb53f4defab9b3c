import { Agent, request as send } from 'node:http';
import type { LoadRequest } from './fire.ts';

/** One answered request: when it was due, in milliseconds since the start, and how long its answer took from then on. */
export type Shot = { atMs: number; ms: number; status: number };

const TICK_MS = 4;
/** More are not sent: a server that answers nothing must not take the client's memory. */
const OPEN_MAX = 3_000;
const SOCKETS_MAX = 512;

/**
 * Sends requests at a steady rate, however slowly they are answered. Resolves when all are answered. Status 0: the connection broke,
 * or the request could not be sent for want of places.
 */
export function fireAtRate(aim: {
  address: string;
  perSecond: number;
  seconds: number;
  next(): LoadRequest;
}): Promise<Shot[]> {
  const { address, perSecond, seconds, next } = aim;
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, scheduling: 'fifo' });
  const shots: Shot[] = [];
  const wanted = Math.round(perSecond * seconds);
  const began = performance.now();
  let sent = 0;
  return new Promise((resolve) => {
    const note = (atMs: number, status: number): void => {
      shots.push({ atMs, status, ms: performance.now() - began - atMs });
      if (shots.length < wanted) return;
      agent.destroy();
      resolve(shots);
    };
    const fireOne = (atMs: number): void => {
      if (sent - shots.length > OPEN_MAX) {
        note(atMs, 0);
        return;
      }
      const { method, path, headers, body } = next();
      send(`${address}${path}`, { agent, method, headers }, (response) => {
        response
          .resume()
          .on('end', () => note(atMs, response.statusCode ?? 0))
          .on('error', () => note(atMs, 0));
      })
        .on('error', () => note(atMs, 0))
        .end(body);
    };
    const timer = setInterval(() => {
      const due = Math.min(wanted, ((performance.now() - began) * perSecond) / 1_000);
      while (sent < due) {
        fireOne((sent * 1_000) / perSecond);
        sent += 1;
      }
      if (sent >= wanted) clearInterval(timer);
    }, TICK_MS);
  });
}

/** What became of requests. Times in milliseconds; NaN where there is none. */
export type Fate = {
  perSecond: number;
  shedShare: number;
  p50: number;
  p95: number;
  shedP95: number;
  failed: number;
};

export function fateOf(shots: readonly Shot[], seconds: number): Fate {
  const times = (fits: (shot: Shot) => boolean): number[] =>
    shots
      .filter(fits)
      .map(({ ms }) => ms)
      .toSorted((one, other) => one - other);
  const good = times(({ status }) => status === 200);
  const shed = times(({ status }) => status === 503);
  return {
    perSecond: good.length / seconds,
    shedShare: shed.length / Math.max(1, shots.length),
    p50: quantile(good, 0.5),
    p95: quantile(good, 0.95),
    shedP95: quantile(shed, 0.95),
    failed: shots.length - good.length - shed.length,
  };
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
