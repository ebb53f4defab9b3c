import { Failure } from '../../contract/errors.ts';
import { sitemapPages } from '../../crawl/robots/read-sitemaps.ts';
import type { RobotsOfHosts } from '../../crawl/robots/robots-of-hosts.ts';
import type { ReadSitemapFile } from '../../crawl/robots/sitemap-worker.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { CrawlOrder } from '../job-types.ts';
import type { JobFrontier } from './job-frontier.ts';
import type { JobScope } from './job-scope.ts';
import type { JobWriter } from './job-writer.ts';

/** Time for all sitemaps of a site, and addresses taken from them. */
const SITEMAPS_MS = 20_000;
const SITEMAP_URLS_MAX = 50_000;

type Seeding = {
  crawl: CrawlOrder;
  scope: JobScope;
  frontier: JobFrontier;
  writer: JobWriter;
  robotsOf: RobotsOfHosts;
  fetch: GuardedFetch;
  signal: AbortSignal;
};

/** Adds the pages that the sitemaps of the start address list to the frontier, as far as they are read in time. */
export async function seedJob(
  { readSitemapFile }: { readSitemapFile: ReadSitemapFile },
  { crawl, scope, frontier, writer, robotsOf, fetch, signal }: Seeding,
): Promise<void> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(SITEMAPS_MS)]);
  try {
    const sitemaps = crawl.sitemap === 'skip' ? [] : await sitemapsOf(crawl.start, robotsOf, inTime);
    let taken = 0;
    for await (const listed of sitemapPages({ fetch, readSitemapFile }, { sitemaps, signal: inTime })) {
      const urls = frontier.admit(scope.toVisit(listed.slice(0, SITEMAP_URLS_MAX - taken)));
      taken += listed.length;
      if (urls.length > 0) await writer.addUrls({ urls, depth: 0 });
      if (taken >= SITEMAP_URLS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || !inTime.aborted) throw error;
  }
  // A run that is aborted leaves the sitemaps to the next one.
  if (!signal.aborted) await writer.markSeeded();
}

async function sitemapsOf(start: string, robotsOf: RobotsOfHosts, signal: AbortSignal): Promise<string[]> {
  const robots = await robotsOf(start, signal);
  if (!robots.reached) return [];
  return robots.sitemaps.length > 0 ? robots.sitemaps : [new URL('/sitemap.xml', start).href];
}
