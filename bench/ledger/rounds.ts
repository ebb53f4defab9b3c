import { watchLoop } from './watch-loop.ts';

export type Round = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the whole process, all threads. */
  cpuMs: number;
  loop: ReturnType<ReturnType<typeof watchLoop>['stop']>;
};

const WARM_UP_MS = 300;

/** Several callers, each making one call after the other, for a given time. */
export async function runRound(
  { callers, ms }: { callers: number; ms: number },
  call: () => Promise<unknown>,
): Promise<Round> {
  await callFor(WARM_UP_MS, callers, call);
  const loop = watchLoop();
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  const took = (await callFor(ms, callers, call)).toSorted((one, other) => one - other);
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    perSecond: took.length / seconds,
    p50Ms: took[Math.floor(took.length * 0.5)] ?? 0,
    p99Ms: took[Math.floor(took.length * 0.99)] ?? 0,
    cpuMs: (user + system) / 1_000 / took.length,
    loop: loop.stop(),
  };
}

async function callFor(ms: number, callers: number, call: () => Promise<unknown>): Promise<number[]> {
  const until = performance.now() + ms;
  const took: number[] = [];
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      await call();
      took.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return took;
}
