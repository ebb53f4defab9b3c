import type { IndexedPage } from '../../index/local-index-types.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import { openSite, type SitePage } from './open-site.ts';
import type { SiteDeps, SiteRequest } from './site-types.ts';

export type SiteCrawlRequest = SiteRequest & {
  /** Passages of each page when there are instructions. */
  passagesPerPage: number;
  /** Plain text in place of Markdown. */
  plain: boolean;
  /** Called with the number of pages so far. */
  onPage?: (pages: number) => void;
};

/** `passages`: those that fit the instructions best; null without instructions. `late`: parts left out for lack of time. */
export type CrawledPage = {
  url: string;
  title: string;
  text: string;
  passages: string[] | null;
  late: LatePart[];
};

/** A part of a page that can be left out for lack of time. */
type LatePart = 'text' | 'highlights' | 'prunedContext' | 'summary';

/**
 * Returns the pages of a site, within bounds; when the time is up, those read so far. With instructions, pages that fit them
 * are read first and only they are returned, the best first. Throws `Failure('url_not_allowed')` and `Failure('fetch_failed')`
 * for the start page.
 */
export type SiteCrawl = (request: SiteCrawlRequest) => Promise<CrawledPage[]>;

/** Characters of all pages together after which no further page is read. */
const CHARS_MAX = 20_000_000;
/** Minimum fit of a page, as a share of the best page's fit. */
const FIT_SHARE_MIN = 0.3;
const HEADINGS_MAX = 50;

/** Cuts text and highlights out of pages, in their order. */
type PrunePages = (
  pages: IndexedPage[],
  task: {
    wanted: {
      text: { charsMax: null };
      highlights: { query: string; perUrl: number; charsMax: null } | null;
      pruned: null;
      plain?: true;
    };
    query: null;
    tenant?: Tenant;
  },
  signal: AbortSignal,
) => Promise<{ text?: string; highlights?: string[]; highlightScores?: number[]; late?: LatePart[] }[]>;

type SiteCrawlDeps = SiteDeps & { prune: PrunePages };

type PageContents = Pick<CrawledPage, 'text' | 'passages' | 'late'> & { fit: number };

export function createSiteCrawl(deps: SiteCrawlDeps): SiteCrawl {
  return (request) =>
    deps.slots.run({ tenant: request.tenant, signal: request.signal }, () => crawlSite(deps, request));
}

async function crawlSite(deps: SiteCrawlDeps, request: SiteCrawlRequest): Promise<CrawledPage[]> {
  const options = { visitsLeaves: true, sitemapDepth: computePathDepth, sitemapsFirst: false };
  const site = await openSite(deps, request, options);
  const contents = new Map<IndexedPage, PageContents>();
  let chars = 0;
  const addContents = async (page: IndexedPage, signal: AbortSignal): Promise<void> => {
    const found = await extractContents(deps.prune, { page, request, signal });
    chars += found.text.length;
    contents.set(page, found);
    request.onPage?.(contents.size);
  };
  for (const { page } of site.pages()) await addContents(page, request.signal);
  await site.visitPages({
    pagesMax: request.pagesMax,
    isEnough: () => chars > CHARS_MAX,
    onRead: addContents,
  });
  return choosePages(site.pages(), contents);
}

async function extractContents(
  prune: PrunePages,
  { page, request, signal }: { page: IndexedPage; request: SiteCrawlRequest; signal: AbortSignal },
): Promise<PageContents> {
  const { instructions, plain, passagesPerPage, tenant } = request;
  const highlights =
    instructions === null ? null : { query: instructions.query, perUrl: passagesPerPage, charsMax: null };
  const wanted = { text: { charsMax: null }, highlights, pruned: null, ...(plain ? { plain } : {}) } as const;
  const [cut] = await prune([page], { wanted, query: null, tenant }, signal);
  const { text = page.markdown, late = [] } = cut ?? {};
  if (instructions === null) return { text, passages: null, late, fit: 1 };
  const named = instructions.coverage([page.title, ...page.headings.slice(0, HEADINGS_MAX)].join(' '));
  return {
    text,
    passages: cut?.highlights ?? [],
    late,
    fit: Math.max(named, cut?.highlightScores?.[0] ?? 0),
  };
}

/** Returns all pages in reading order without instructions; with instructions, those that fit, or all if none does. */
function choosePages(read: SitePage[], contents: Map<IndexedPage, PageContents>): CrawledPage[] {
  const pages = read.flatMap(({ url, page }) => {
    const found = contents.get(page);
    return found === undefined ? [] : [{ url, title: page.title, ...found }];
  });
  const best = Math.max(0, ...pages.map(({ fit }) => fit));
  return pages
    .filter(({ fit }) => fit >= best * FIT_SHARE_MIN)
    .toSorted((left, right) => right.fit - left.fit)
    .map(({ url, title, text, passages, late }) => ({ url, title, text, passages, late }));
}

/** Computes the depth of a page that no link led to: the number of its path segments. */
function computePathDepth(url: string): number {
  return Math.max(1, new URL(url).pathname.split('/').filter((part) => part !== '').length);
}
