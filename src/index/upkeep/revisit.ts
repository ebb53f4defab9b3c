/** What was seen of a page since it entered the index. */
export type Observed = {
  /** Times that its origin was asked again. */
  visits: number;
  /** Of these, how often its text had changed. */
  changes: number;
  /** Milliseconds over all intervals between two visits. */
  watchedMs: number;
};

/** Two fetches within this time are one observation. */
const OBSERVED_AFTER_MS = 60_000;
/** The order of use may be inexact, so that a page in every answer is not written every time. */
export const USED_AFTER_MS = 3_600_000;
/** Local files are not revisited. */
export const NEVER = Number.MAX_SAFE_INTEGER;

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

/** Pure: what is known of a page once it was fetched again; of a new page nothing. */
export function observed(
  earlier: (Observed & { fetchedAt: number }) | null,
  { fetchedAt, isChanged }: { fetchedAt: number; isChanged: boolean },
): Observed {
  if (earlier === null) return { visits: 0, changes: 0, watchedMs: 0 };
  const { visits, changes, watchedMs } = earlier;
  const sinceMs = fetchedAt - earlier.fetchedAt;
  if (sinceMs < OBSERVED_AFTER_MS) return { visits, changes, watchedMs };
  return { visits: visits + 1, changes: changes + (isChanged ? 1 : 0), watchedMs: watchedMs + sinceMs };
}

/** Pure: when a page that was fetched at a time is due for its next visit. */
export function dueAt({ url, fetchedAt }: { url: string; fetchedAt: number }, known: Observed): number {
  return /^https?:/.test(url) ? fetchedAt + revisitAfterMs(known) : NEVER;
}
