import { DAY_MS } from '../../platform/clock.ts';
import type { HeldPage, LocalIndex, PageSelector } from '../local-index-types.ts';

/** The visits to a page since it entered the index. */
export type VisitHistory = {
  /** Number of times that its origin was asked again. */
  visits: number;
  /** Number of visits that found its text changed. */
  changes: number;
  /** Sum of all intervals between two visits, in milliseconds. */
  watchedMs: number;
};

/** Two fetches within this time count as one visit. */
const OBSERVED_AFTER_MS = 60_000;
/** Minimum time between two recorded uses: the order of use may be inexact, so that a page in every answer is not written every time. */
export const USED_AFTER_MS = 3_600_000;
/** Local files are not revisited. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Interval to the first visit, before anything is known of the page. */
const FIRST_MS = 7 * DAY_MS;
const REVISIT_MS_MIN = 6 * 3_600_000;
const REVISIT_MS_MAX = 90 * DAY_MS;
/** Maximum ratio of an interval to the mean one so far, so that a page seen unchanged once is not left unvisited for months. */
const GROWTH_MAX = 2;

/**
 * Pure: estimates the milliseconds until a page should be read again, about the time in which it changes once. The rate of change is
 * estimated after Cho and Garcia-Molina (Estimating Frequency of Change, 2003): it is unbiased enough for few visits and accounts for
 * several changes between two visits that look like one.
 */
export function estimateRevisitMs({ visits, changes, watchedMs }: VisitHistory): number {
  if (visits === 0 || watchedMs <= 0) return FIRST_MS;
  const meanMs = watchedMs / visits;
  const changesPerInterval = -Math.log((visits - changes + 0.5) / (visits + 0.5));
  const wantedMs = changesPerInterval > 0 ? meanMs / changesPerInterval : Number.POSITIVE_INFINITY;
  return Math.round(
    Math.min(REVISIT_MS_MAX, Math.max(REVISIT_MS_MIN, Math.min(wantedMs, GROWTH_MAX * meanMs))),
  );
}

/** Pure: adds a visit to the history of a page; a new page starts with an empty history. */
export function recordVisit(
  earlier: (VisitHistory & { fetchedAt: number }) | null,
  { fetchedAt, isChanged }: { fetchedAt: number; isChanged: boolean },
): VisitHistory {
  if (earlier === null) return { visits: 0, changes: 0, watchedMs: 0 };
  const { visits, changes, watchedMs } = earlier;
  const sinceMs = fetchedAt - earlier.fetchedAt;
  if (sinceMs < OBSERVED_AFTER_MS) return { visits, changes, watchedMs };
  return { visits: visits + 1, changes: changes + (isChanged ? 1 : 0), watchedMs: watchedMs + sinceMs };
}

/**
 * Pure: computes when a page is due for its next visit, in milliseconds since the epoch. Pages of libraries never are: the text of a
 * version does not change, and what its address serves may be another one.
 */
export function computeDueAt(
  { url, fetchedAt, library }: { url: string; fetchedAt: number; library?: object },
  known: VisitHistory,
): number {
  return library === undefined && /^https?:/.test(url) ? fetchedAt + estimateRevisitMs(known) : NEVER;
}

/** Pages that are made due at once. */
const DUE_MAX = 10_000;
const SLICE = 500;

/** Makes the selected pages due for a visit, before all others; resolves to how many there are, at most DUE_MAX. */
export async function makeDue(
  index: Pick<LocalIndex, 'list' | 'postpone'>,
  selector: PageSelector,
): Promise<number> {
  let count = 0;
  let after: string | null = null;
  while (count < DUE_MAX) {
    const limit = Math.min(SLICE, DUE_MAX - count);
    const pages: HeldPage[] = await index.list({ selector, after, limit });
    const last = pages.at(-1);
    if (last === undefined) break;
    const urls = pages.map(({ url }) => url);
    await index.postpone(urls, 0);
    count += pages.length;
    after = last.url;
  }
  return count;
}
