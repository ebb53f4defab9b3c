import type { Frontier, StateCounts, VisitOutcome } from '../../crawl/frontier/frontier-types.ts';
import { createHostQueues } from '../../crawl/frontier/host-queues.ts';
import { createKnownUrls } from '../../crawl/frontier/known-urls.ts';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import { hostKey } from '../../text/urls/sites.ts';
import { knownUrls, nextUrls } from '../rows/url-rows.ts';

/** The frontier of a job: kept in the store, known in memory. */
export type JobFrontier = Pick<
  Frontier,
  'hosts' | 'peek' | 'take' | 'putBack' | 'titleOf' | 'isClaimed' | 'claim'
> & {
  counts(): StateCounts;
  /** The addresses that are new and within the bounds; known from now on, to be written by the caller. */
  admit(urls: string[]): string[];
  /** Notes outcomes that have been written. */
  settled(outcomes: VisitOutcome[]): void;
};

/** Maximum addresses that a job knows: this many, or more if many pages are wanted. */
const URLS_MAX = 10_000;
const URLS_PER_PAGE_MAX = 4;

export async function openJobFrontier(
  db: JobQueries,
  { jobId, pagesMax }: { jobId: string; pagesMax: number },
): Promise<JobFrontier> {
  const urlsMax = Math.max(URLS_MAX, URLS_PER_PAGE_MAX * pagesMax);
  const known = createKnownUrls({ urlsMax });
  known.remember(await knownUrls(db, jobId));
  const queues = createHostQueues(known, (host, limit) => nextUrls(db, jobId, { host, limit }));
  return {
    hosts: () => known.hosts(),
    counts: () => ({ ...known.counts }),
    titleOf: (pageUrl) => known.titles.get(pageUrl),
    isClaimed: (pageUrl) => known.claimed.has(pageUrl),
    claim: known.claim,
    peek: queues.peek,
    take: queues.take,
    putBack: queues.putBack,
    admit(urls) {
      const fresh = known.admit(urls);
      for (const url of fresh) queues.outdate(hostKey(url));
      return fresh;
    },
    settled(outcomes) {
      for (const outcome of outcomes) {
        known.settle(outcome);
        queues.settled(outcome.row);
      }
    },
  };
}
