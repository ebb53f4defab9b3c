import type { IndexedPage } from '../../index/local-index-types.ts';
import type { PruneWorker } from '../../search/prune-worker.ts';
import { openSite, type SiteParts, type SiteRequest, type WalkedPage } from './open-site.ts';

export type SiteCrawlRequest = SiteRequest & {
  /** Passages of each page when there are instructions. */
  passagesPerPage: number;
  /** Plain text in place of Markdown. */
  plain: boolean;
  /** Is told how many pages there are so far. */
  onPage?: (pages: number) => void;
};

/** `passages` are those that fit the instructions best, where there are any. */
export type CrawledPage = { url: string; title: string; text: string; passages: string[] | null };

/**
 * The pages of a site from a start page on, within bounds; ends in time with what is there. With instructions the pages that
 * fit them are read first and are the answer, the best first. Throws `Failure('url_not_allowed')` and `Failure('fetch_failed')`
 * for the start page.
 */
export type SiteCrawl = (request: SiteCrawlRequest) => Promise<CrawledPage[]>;

/** Characters of all pages together, beyond which no further page is begun. */
const CHARS_MAX = 20_000_000;
/** A page with less than this share of the best page's fit is left out. */
const FIT_SHARE_MIN = 0.3;
const HEADINGS_MAX = 50;

type Dressed = Pick<CrawledPage, 'text' | 'passages'> & { fit: number };

export function createSiteCrawl(parts: SiteParts & { prune: PruneWorker }): SiteCrawl {
  return (request) =>
    parts.walks.run({ tenant: request.tenant, signal: request.signal }, () => crawlSite(parts, request));
}

async function crawlSite(
  parts: SiteParts & { prune: PruneWorker },
  request: SiteCrawlRequest,
): Promise<CrawledPage[]> {
  const options = { visitsLeaves: true, sitemapDepth: depthOfPath, sitemapsFirst: false };
  const site = await openSite(parts, request, options);
  const dressed = new Map<IndexedPage, Dressed>();
  let chars = 0;
  const dress = async (page: IndexedPage, signal: AbortSignal): Promise<void> => {
    const made = await dressPage(parts.prune, { page, request, signal });
    chars += made.text.length;
    dressed.set(page, made);
    request.onPage?.(dressed.size);
  };
  for (const { page } of site.pages()) await dress(page, request.signal);
  await site.walk({ pagesMax: request.pagesMax, isEnough: () => chars > CHARS_MAX, onRead: dress });
  return chosen(site.pages(), dressed);
}

async function dressPage(
  prune: PruneWorker,
  { page, request, signal }: { page: IndexedPage; request: SiteCrawlRequest; signal: AbortSignal },
): Promise<Dressed> {
  const { instructions, plain, passagesPerPage, tenant } = request;
  const highlights =
    instructions === null ? null : { query: instructions.query, perUrl: passagesPerPage, charsMax: null };
  const wanted = { text: { charsMax: null }, highlights, pruned: null, ...(plain ? { plain } : {}) };
  const [made] = await prune([page], { wanted, query: null, tenant }, signal);
  const text = made?.text ?? page.markdown;
  if (instructions === null) return { text, passages: null, fit: 1 };
  const named = instructions.coverage([page.title, ...page.headings.slice(0, HEADINGS_MAX)].join(' '));
  return { text, passages: made?.highlights ?? [], fit: Math.max(named, made?.highlightScores?.[0] ?? 0) };
}

/** Without instructions all pages as they were read; with them those that fit, or all when none does. */
function chosen(walked: WalkedPage[], dressed: Map<IndexedPage, Dressed>): CrawledPage[] {
  const pages = walked.flatMap(({ url, page }) => {
    const parts = dressed.get(page);
    return parts === undefined ? [] : [{ url, title: page.title, ...parts }];
  });
  const best = Math.max(0, ...pages.map(({ fit }) => fit));
  return pages
    .filter(({ fit }) => fit >= best * FIT_SHARE_MIN)
    .toSorted((left, right) => right.fit - left.fit)
    .map(({ url, title, text, passages }) => ({ url, title, text, passages }));
}

/** Steps down from the root of the site: what a page counts as that no link led to. */
function depthOfPath(url: string): number {
  return Math.max(1, new URL(url).pathname.split('/').filter((part) => part !== '').length);
}
