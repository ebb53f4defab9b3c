/** What was seen of a page since it entered the index. */
export type Observed = {
  /** Times that its origin was asked again. */
  visits: number;
  /** Of these, how often its text had changed. */
  changes: number;
  /** Milliseconds over all intervals between two visits. */
  watchedMs: number;
};

const DAY_MS = 86_400_000;
/** Before anything is known of a page. */
const FIRST_MS = 7 * DAY_MS;
const REVISIT_MS_MIN = 6 * 3_600_000;
const REVISIT_MS_MAX = 90 * DAY_MS;
/** An interval may be this many times the mean one so far: a page seen unchanged once is not left alone for months. */
const GROWTH_MAX = 2;

/**
 * Pure: milliseconds until a page should be read again, about the time in which it changes once. The rate of change is the
 * estimate by Cho and Garcia-Molina (Estimating Frequency of Change, 2003), which is unbiased enough for few visits and knows
 * that several changes between two visits look like one.
 */
export function revisitAfterMs({ visits, changes, watchedMs }: Observed): number {
  if (visits === 0 || watchedMs <= 0) return FIRST_MS;
  const meanMs = watchedMs / visits;
  const changesPerInterval = -Math.log((visits - changes + 0.5) / (visits + 0.5));
  const wantedMs = changesPerInterval > 0 ? meanMs / changesPerInterval : Number.POSITIVE_INFINITY;
  return Math.round(
    Math.min(REVISIT_MS_MAX, Math.max(REVISIT_MS_MIN, Math.min(wantedMs, GROWTH_MAX * meanMs))),
  );
}
