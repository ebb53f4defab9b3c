import type { Events } from '../../../contract/events.ts';
import type { Clock } from '../../../platform/clock.ts';

/** The requests in a span of time. Latencies are null if there were none. */
export type LoadPoint = {
  /** Start of the span, in milliseconds since the epoch. */
  at: number;
  requests: number;
  /** Answered with 400 to 498: the caller's own mistake, a missing key, no credits. */
  refused: number;
  /** Answered with 500 or more, 503 under overload included. */
  failed: number;
  /** The latencies that half, and nineteen of twenty, of the requests did not exceed. */
  p50Ms: number | null;
  p95Ms: number | null;
};

/** Counts of the requests that this process answered in the last day, kept in memory for each minute of the clock. */
export type LoadOfDay = {
  note(request: Parameters<Events['requestEnded']>[0]): void;
  /** Returns the last 24 hours in spans of `minutes` (a divisor of 1,440), the oldest first; the last span has just begun. */
  spans(minutes: number): LoadPoint[];
};

const MINUTES = 1_440;
const MINUTE_MS = 60_000;
/** Upper bounds of the latency buckets, in milliseconds. */
const LATENCIES_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000];
/** Number of counters per minute: requests, refused, failed, then one for each latency bucket, and one for longer requests. */
const COUNTS = 3 + LATENCIES_MS.length + 1;
/** Status of a request whose client hung up, which counts as no failure. */
const HUNG_UP = 499;

export function createLoadOfDay(clock: Clock): LoadOfDay {
  const counts = new Uint32Array(MINUTES * COUNTS);
  const minuteOf = new Float64Array(MINUTES).fill(-1);
  const computeOffset = (minute: number): number => (minute % MINUTES) * COUNTS;
  return {
    note({ status, ms }) {
      const minute = Math.floor(clock.now() / MINUTE_MS);
      const start = computeOffset(minute);
      if (minuteOf[minute % MINUTES] !== minute) {
        counts.fill(0, start, start + COUNTS);
        minuteOf[minute % MINUTES] = minute;
      }
      const span = LATENCIES_MS.findIndex((most) => ms <= most);
      const add = (place: number): void => {
        counts[start + place] = (counts[start + place] ?? 0) + 1;
      };
      add(0);
      if (status >= 500) add(2);
      else if (status >= 400 && status !== HUNG_UP) add(1);
      add(3 + (span === -1 ? LATENCIES_MS.length : span));
    },
    spans(minutes) {
      const span = Math.floor(clock.now() / MINUTE_MS / minutes);
      return Array.from({ length: MINUTES / minutes }, (_, back) => {
        const first = (span - (MINUTES / minutes - 1 - back)) * minutes;
        const sums = new Float64Array(COUNTS);
        for (let minute = first; minute < first + minutes; minute++) {
          if (minute < 0 || minuteOf[minute % MINUTES] !== minute) continue;
          for (let place = 0; place < COUNTS; place++)
            sums[place] = (sums[place] ?? 0) + (counts[computeOffset(minute) + place] ?? 0);
        }
        return buildLoadPoint(first * MINUTE_MS, sums);
      });
    },
  };
}

function buildLoadPoint(at: number, sums: Float64Array): LoadPoint {
  const [requests = 0, refused = 0, failed = 0] = sums;
  const latencies = [...sums.slice(3)];
  return {
    at,
    requests,
    refused,
    failed,
    p50Ms: computePercentile(latencies, requests, 0.5),
    p95Ms: computePercentile(latencies, requests, 0.95),
  };
}

/** Computes the upper bound of the latency bucket in which this share of the requests is reached. */
function computePercentile(latencies: number[], requests: number, share: number): number | null {
  if (requests === 0) return null;
  let left = share * requests;
  const span = latencies.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return LATENCIES_MS[span] ?? LATENCIES_MS.at(-1) ?? null;
}
