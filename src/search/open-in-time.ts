import { Failure } from '../contract/errors.ts';
import type { Page } from '../pages/article.ts';
import type { Opening, OpenOptions, OpenPage } from '../pages/open-page-types.ts';
import { withinTime } from '../platform/within-time.ts';
import type { Stopwatch } from './stopwatch.ts';

/** Milliseconds for opening the pages of one search; less if the search is already late. */
const OPEN_MS_MAX = 3_000;
const OPEN_MS_MIN = 250;
/** Milliseconds into a search by which its pages must be open; the rest is for pruning and writing. */
const SEARCH_MS = 6_800;

type Asked = Pick<OpenOptions, 'signal' | 'tenant' | 'keep'> & { watch: Stopwatch; opening?: Opening };

/** Opens pages concurrently; null for each page that fails or is not open in time. */
export function openInTime(
  openPage: OpenPage,
  urls: readonly string[],
  { signal, tenant, keep, watch, opening = {} }: Asked,
): Promise<(Page | null)[]> {
  const left = SEARCH_MS - (watch.stop().total ?? 0);
  const timeoutMs = Math.min(
    opening.timeoutMs ?? OPEN_MS_MAX,
    Math.max(OPEN_MS_MIN, Math.min(OPEN_MS_MAX, left)),
  );
  return withinTime({ signal, ms: timeoutMs }, (inTime) =>
    Promise.all(
      urls.map((url) => openOrNull(openPage, url, { ...opening, signal: inTime, tenant, keep, timeoutMs })),
    ),
  );
}

async function openOrNull(openPage: OpenPage, url: string, options: OpenOptions): Promise<Page | null> {
  try {
    return await openPage(url, options);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
