import { createHash } from 'node:crypto';
import type { IndexedPage } from '../../index/local-index-types.ts';
import { crawlableUrl } from '../../text/urls/crawlable.ts';
import { plainText } from '../../text/words/plain-text.ts';
import type { Frontier } from '../frontier/frontier-types.ts';
import { createNoiseParameters } from '../frontier/noise-parameters.ts';
import type { Visited } from '../visit/visit-page.ts';
import { createSiteQueues } from './site-queues.ts';
import { createSiteRows, type SiteRowsOptions } from './site-rows.ts';
import type { SiteRow } from './site-types.ts';

/** The frontier of one site crawl, in memory. */
export type SiteFrontier = Pick<
  Frontier,
  'hosts' | 'peek' | 'take' | 'putBack' | 'titleOf' | 'claim' | 'isClaimed'
> & {
  /** Adds the start address and takes it. */
  begin(url: string): SiteRow;
  /** Adds addresses from outside the pages, such as those of sitemaps. */
  add(urls: string[], depthOf: (url: string) => number): Promise<void>;
  /** Records a visit. Returns its row when the page is new and wanted, else null. */
  settle(visited: Visited): Promise<SiteRow | null>;
  /** The address without parameters that are known not to change the page. */
  spell(url: string): string;
  rows(): SiteRow[];
};

type SiteFrontierOptions = SiteRowsOptions & {
  /** Maximum pages in the answer. */
  pagesMax: number;
  /** Visits of pages that are not wanted but lead to others. */
  passesMax: number;
  /** Whether pages are visited whose links are not followed: a crawl reads them, a map only names them. */
  visitsLeaves: boolean;
  /** The text of each link of a page. */
  linkTexts(markdown: string): Map<string, string>;
};

const LINKS_PER_PAGE_MAX = 5_000;
const DIGEST_CHARS = 50_000;

export function createSiteFrontier(options: SiteFrontierOptions): SiteFrontier {
  const titles = new Map<string, string>();
  const noise = createNoiseParameters();
  let done = 0;
  const queues = createSiteQueues({
    ...options,
    room: () => options.pagesMax - done,
    // True for a row found before the parameter was known to be noise: its page is known under another address.
    isSpent: ({ url }) => noise.strip(url) !== url && rows.get(noise.strip(url)) !== undefined,
  });
  const rows = createSiteRows(options, { queues, noise });
  const judge = options.rules.judge;
  return {
    hosts: queues.hosts,
    peek: queues.peek,
    take: queues.take,
    putBack: queues.putBack,
    titleOf: (url) => titles.get(url),
    // No page is read twice: the answer leaves out a page whose claim turns out to be true.
    isClaimed: () => false,
    claim: (url, title) => void (title === null || titles.set(url, title)),
    spell: noise.strip,
    rows: rows.all,
    add: rows.admit,
    begin(url) {
      const verdict = judge(url) ?? { inside: true, wanted: false };
      const row = rows.insert(url, 0, { verdict, interest: 0 });
      if (row === null) throw new Error('a site crawl begins once');
      queues.take(row);
      return row;
    },
    async settle({ outcome, read }) {
      const row = rows.get(outcome.row.url);
      if (row === undefined) throw new Error('the visit is of another site crawl');
      if (outcome.state === 'retry' && isWorthARetry(row, outcome.reason)) {
        queues.retry(row, outcome.notBefore);
        return null;
      }
      queues.settled(row);
      const isCopy = read !== null && noise.note(row.url, textDigest(read));
      if (outcome.state === 'done') {
        rows.foundAt(row, outcome.finalUrl);
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

/** A caller waits: pages of other sites and pages that timed out are not tried again. */
function isWorthARetry({ verdict }: SiteRow, reason: string): boolean {
  return verdict.inside && reason !== 'timeout';
}

/** Two addresses with the same digest show the same text, apart from where its links lead. */
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
