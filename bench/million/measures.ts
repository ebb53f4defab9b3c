/** Milliseconds at some ranks of a hundred, as text. */
export function percentiles(took: readonly number[], ranks: readonly number[] = [50, 95, 99, 100]): string {
  const sorted = took.toSorted((left, right) => left - right);
  const at = (rank: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * rank) / 100))] ?? 0;
  return ranks.map((rank) => `${rank === 100 ? 'most' : `p${rank}`} ${at(rank).toFixed(1)}`).join('  ');
}

/** Runs work and says how long it took, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds of CPU of the whole process since the last call. */
export function createCpuMeter(): () => number {
  let last = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    return (user + system) / 1_000;
  };
}
