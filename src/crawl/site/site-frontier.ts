import { createHash } from 'node:crypto';
import type { IndexedPage } from '../../index/local-index-types.ts';
import { crawlableUrl } from '../../text/urls/crawlable.ts';
import { plainText } from '../../text/words/plain-text.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { createNoiseParameters } from '../frontier/noise-parameters.ts';
import type { Visited } from '../visit/visit-page.ts';
import { createSiteQueues } from './site-queues.ts';
import { createSiteRows, type SiteRow, type SiteRowsOptions } from './site-rows.ts';

/** What one call knows of a site, in memory; it ends with the call. */
export type SiteFrontier = Pick<
  Frontier,
  'hosts' | 'peek' | 'take' | 'giveBack' | 'titleOf' | 'claim' | 'isClaimed'
> & {
  /** The address that the walk starts from; it is under way. */
  begin(url: string): SiteRow;
  /** Adds addresses from outside the pages, such as those of sitemaps. */
  add(urls: string[], depthOf: (url: string) => number): Promise<void>;
  /** Writes what a visit of a row led to. Gives the row when its page is a new one and wanted, else null. */
  settle(visited: Visited): Promise<SiteRow | null>;
  /** The address without what is known not to matter. */
  spell(url: string): string;
  rows(): SiteRow[];
};

export type SiteFrontierOptions = SiteRowsOptions & {
  /** Pages of the answer at most. */
  pagesMax: number;
  /** Visits of pages that only lead on. */
  passesMax: number;
  /** Whether addresses that cannot lead on are visited: for their pages; a map only names them. */
  visitsLeaves: boolean;
  /** Text of each link of a page. */
  linkTexts(markdown: string): Map<string, string>;
};

const LINKS_PER_PAGE_MAX = 5_000;
const DIGEST_CHARS = 50_000;

/** A frontier that knows nothing yet. */
export function createSiteFrontier(options: SiteFrontierOptions): SiteFrontier {
  const titles = new Map<string, string>();
  const noise = createNoiseParameters();
  let done = 0;
  const queues = createSiteQueues({
    ...options,
    room: () => options.pagesMax - done,
    // Met before the parameter was known to be noise; the page has another address.
    isSpent: ({ url }) => noise.strip(url) !== url && rows.get(noise.strip(url)) !== undefined,
  });
  const rows = createSiteRows(options, { queues, noise });
  const judge = options.rules.judge;
  return {
    hosts: queues.hosts,
    peek: queues.peek,
    take: queues.take,
    giveBack: queues.giveBack,
    titleOf: (url) => titles.get(url),
    // Nothing is read twice here: the answer leaves out a page whose claim proves true.
    isClaimed: () => false,
    claim: (url, title) => void (title === null || titles.set(url, title)),
    spell: noise.strip,
    rows: rows.all,
    add: rows.admit,
    begin(url) {
      const verdict = judge(url) ?? { inside: true, wanted: false };
      const row = rows.insert(url, 0, { verdict, interest: 0 });
      if (row === null) throw new Error('a walk begins once');
      queues.take(row);
      return row;
    },
    async settle({ outcome, read }) {
      const row = rows.get(outcome.row.url);
      if (row === undefined) throw new Error('a visit is of another walk');
      if (outcome.state === 'retry' && isWorthARetry(row, outcome.reason)) {
        queues.retry(row, outcome.notBefore);
        return null;
      }
      queues.settled(row);
      const isCopy = read !== null && noise.note(row.url, textDigest(read));
      if (outcome.state === 'done') {
        rows.standsAt(row, outcome.finalUrl);
        row.verdict = judge(outcome.finalUrl) ?? row.verdict;
        if (!isCopy) row.state = 'done';
      }
      row.links = spelled(outcome.found);
      await rows.follow(row, options.linkTexts(read?.markdown ?? ''));
      if (row.state !== 'done' || !row.verdict.wanted) return null;
      done += 1;
      return row;
    },
  };
}

/** A caller waits: another site's page, and one that has just used up its time, are let go. */
function isWorthARetry({ verdict }: SiteRow, reason: string): boolean {
  return verdict.inside && reason !== 'timeout';
}

/** Two addresses with the same digest show the same text, wherever its links lead. */
function textDigest({ title, markdown }: IndexedPage): string {
  const text = plainText(markdown.slice(0, DIGEST_CHARS));
  return createHash('sha256')
    .update(`${title}\n${markdown.length > DIGEST_CHARS ? markdown.length : ''}\n${text}`)
    .digest('base64');
}

function spelled(links: string[]): string[] {
  const urls = links.slice(0, LINKS_PER_PAGE_MAX).map(crawlableUrl);
  return [...new Set(urls.filter((url) => url !== null))];
}
