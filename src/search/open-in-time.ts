import { Failure } from '../contract/errors.ts';
import type { Page } from '../pages/article.ts';
import type { OpeningOptions, OpenOptions, OpenPage } from '../pages/open-page-types.ts';
import { runWithTimeout } from '../platform/clock.ts';
import { computePagesMs, isLate, type Lateness } from './late-parts.ts';

/** Default milliseconds for opening the pages of one search; less if the deadline of the search is near. */
const OPEN_MS = 3_000;

type OpenInTimeOptions = Pick<OpenOptions, 'signal' | 'tenant' | 'keep'> & {
  lateness: Lateness;
  opening?: OpeningOptions;
};

/** Opens pages concurrently; null for each page that fails or is late. Late pages are recorded in `lateness`. */
export function openInTime(
  openPage: OpenPage,
  urls: readonly string[],
  { signal, tenant, keep, lateness, opening = {} }: OpenInTimeOptions,
): Promise<(Page | null)[]> {
  const timeoutMs = Math.min(opening.timeoutMs ?? OPEN_MS, computePagesMs(signal));
  return runWithTimeout({ signal, ms: timeoutMs }, (inTime) =>
    Promise.all(
      urls.map((url) =>
        openOrNull(openPage, url, { ...opening, signal: inTime, tenant, keep, timeoutMs, lateness }),
      ),
    ),
  );
}

async function openOrNull(
  openPage: OpenPage,
  url: string,
  { lateness, ...options }: OpenOptions & { lateness: Lateness },
): Promise<Page | null> {
  try {
    return await openPage(url, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isLate(error)) lateness.urls.add(url);
    return null;
  }
}
