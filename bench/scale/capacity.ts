/** What was measured, and the assumptions; the figures of `measured.json`. */
export type Measured = {
  assumed: { usdPerCoreHour: number; usdPerGigabyteMonth: number; busyShare: number };
  kinds: { name: string; cpuMs: number }[];
  /** The share of each kind in a mix; they add up to 1. */
  mix: Record<string, number>;
  indexBytesPerPage: number;
};

export type CapacityRow = { name: string; cpuMs: number; perCoreSecond: number; usdPerMillion: number };

const MS_PER_HOUR = 3_600_000;

/** Requests that a core answers a second at the assumed share of its time, and what a million of them costs in processor time alone. */
export function capacityOf({ assumed, kinds, mix }: Measured): CapacityRow[] {
  const shares = Object.values(mix).reduce((sum, share) => sum + share, 0);
  if (Math.abs(shares - 1) > 1e-9) throw new Error(`the shares of the mix add up to ${shares}`);
  const msOf = (wanted: string): number => {
    const kind = kinds.find(({ name }) => name === wanted);
    if (kind === undefined) throw new Error(`the mix names ${wanted}, which was not measured`);
    return kind.cpuMs;
  };
  const mixed = Object.entries(mix).reduce((sum, [name, share]) => sum + share * msOf(name), 0);
  return [...kinds, { name: 'the mix', cpuMs: mixed }].map(({ name, cpuMs }) => ({
    name,
    cpuMs,
    perCoreSecond: (assumed.busyShare * 1_000) / cpuMs,
    usdPerMillion: ((1_000_000 * cpuMs) / MS_PER_HOUR / assumed.busyShare) * assumed.usdPerCoreHour,
  }));
}

/** Disk and its price for an index with copies. */
export function diskOf(
  pages: number,
  copies: number,
  { indexBytesPerPage, assumed }: Measured,
): { gigabytes: number; usdPerMonth: number } {
  const gigabytes = (pages * copies * indexBytesPerPage) / 1e9;
  return { gigabytes, usdPerMonth: gigabytes * assumed.usdPerGigabyteMonth };
}

/** The rows as a Markdown table. */
export function capacityTable(rows: readonly CapacityRow[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['request', 'CPU ms', 'a second and core', 'USD a million']),
    line(['---', '---', '---', '---']),
    ...rows.map(({ name, cpuMs, perCoreSecond, usdPerMillion }) =>
      line([
        name,
        String(Number(cpuMs.toPrecision(2))),
        Math.floor(perCoreSecond).toLocaleString('en'),
        usdPerMillion.toFixed(3),
      ]),
    ),
  ].join('\n');
}
