/** Statistics on the last calls of a source. Latencies are those of successful calls. */
export type CallRecord = {
  add(call: { ok: boolean; ms: number }): void;
  /** Milliseconds within which this share of the calls answered; null before the first success. */
  percentile(share: number): number | null;
  /** From 0 to 1; null before the first call. */
  successShare(): number | null;
  /** Calls since the start. */
  calls(): number;
  /** Successful calls behind the percentiles. */
  known(): number;
};

/** The statistics cover this many calls. */
const CALLS_KEPT = 200;

export function createCallRecord(): CallRecord {
  const latencies: number[] = [];
  const outcomes: boolean[] = [];
  let calls = 0;
  return {
    add({ ok, ms }) {
      calls += 1;
      push(outcomes, ok);
      if (ok) push(latencies, ms);
    },
    percentile(share) {
      const sorted = latencies.toSorted((one, other) => one - other);
      return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
    },
    successShare: () => (outcomes.length === 0 ? null : outcomes.filter((ok) => ok).length / outcomes.length),
    calls: () => calls,
    known: () => latencies.length,
  };
}

/** The figures that operators see. */
export function summarizeCalls(
  record: CallRecord,
): Record<'p50Ms' | 'p90Ms' | 'p95Ms' | 'successShare', number | null> & { calls: number } {
  return {
    calls: record.calls(),
    p50Ms: record.percentile(0.5),
    p90Ms: record.percentile(0.9),
    p95Ms: record.percentile(0.95),
    successShare: record.successShare(),
  };
}

function push<T>(list: T[], value: T): void {
  list.push(value);
  if (list.length > CALLS_KEPT) list.shift();
}
