import { type Page, toPageText } from '../../pages/article.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import { toCrawlableUrl } from '../../text/urls/crawlable.ts';
import { isSameSite } from '../../text/urls/sites.ts';
import { toSamePageKey } from '../../text/urls/url-spelling.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import { type CitedParts, citeParts } from '../cite-parts.ts';
import type { Lateness } from '../late-parts.ts';
import type { PruneWorker } from '../prune-worker.ts';
import { buildPageDetails, type DetailsOptions, NO_DETAILS, type PageDetails } from './page-details.ts';

/** Limits on the pages of the same site to open for each page and in all, and the words that their URLs should hold. */
export type SubpagesOptions = { perPage: number; most: number; targets: string[] };

/** A page that another page of the same site links to. */
export type Subpage = CitedParts & {
  url: string;
  title: string;
  author: string | null;
  publishedDay: string | null;
  details: PageDetails;
};

type OpenSubpagesOptions = {
  subpages: SubpagesOptions;
  wanted: WantedParts;
  details?: DetailsOptions;
  query: string | null;
  signal: AbortSignal;
  tenant?: Tenant;
  /** Opens pages concurrently; null for each that fails or is late. */
  open(urls: string[]): Promise<(Page | null)[]>;
  /** Records the late parts of the subpages. */
  lateness: Lateness;
};

/** Returns for each page (null: not opened) the subpages that loaded with their requested parts, in the order chosen. */
export async function openSubpages(
  prune: PruneWorker,
  pages: readonly (Page | null)[],
  { subpages, wanted, details = NO_DETAILS, query, signal, tenant, open, lateness }: OpenSubpagesOptions,
): Promise<Subpage[][]> {
  const urls = selectSubpageUrls(pages, subpages);
  const opened = await open(urls.flat());
  const loaded = opened.filter((page) => page !== null);
  const texts = loaded.map(({ article }) => toPageText(article));
  const parts = (await prune(texts, { wanted, query, tenant }, signal)).map(({ late = [], ...taken }) => {
    for (const part of late) lateness.parts.add(part);
    return taken;
  });
  const byPage = new Map(
    loaded.map(({ article }, place) => [
      loaded[place],
      {
        url: article.url,
        title: article.title,
        author: article.author,
        publishedDay: article.published?.day ?? null,
        details: buildPageDetails(article, details),
        ...citeParts(parts[place] ?? {}, article),
      } satisfies Subpage,
    ]),
  );
  let at = 0;
  return urls.map((own) =>
    own.flatMap(() => {
      const page = opened[at];
      at += 1;
      return (page === null ? undefined : byPage.get(page)) ?? [];
    }),
  );
}

/** Selects the addresses to open for each page; none twice, and none of the pages themselves. */
function selectSubpageUrls(
  pages: readonly (Page | null)[],
  { perPage, most, targets }: SubpagesOptions,
): string[][] {
  const taken = new Set(pages.flatMap((page) => (page === null ? [] : [page.article.url])));
  let left = most;
  return pages.map((page) => {
    if (page === null || left === 0) return [];
    const chosen = chooseSubpages(page.article, { targets, taken }).slice(0, Math.min(perPage, left));
    for (const url of chosen) taken.add(url);
    left -= chosen.length;
    return chosen;
  });
}

type LinkingPage = { url: string; canonicalUrl: string; links: readonly string[] };

/**
 * Lists the pages of its own site that a page links to, best first: those with the most target words in their addresses, then those
 * below the page's own path, then in page order. Leaves out the page itself, the `taken` ones and what cannot be a page.
 */
export function chooseSubpages(
  page: LinkingPage,
  { targets, taken }: { targets: readonly string[]; taken: ReadonlySet<string> },
): string[] {
  const wanted = new Set(targets.flatMap((target) => tokenizeWords(target, 'en')));
  const seen = new Set([page.url, page.canonicalUrl, ...taken].map(toSamePageKey));
  const { pathname } = new URL(page.url);
  const below = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const found: { url: string; score: number }[] = [];
  for (const link of page.links) {
    const url = toCrawlableUrl(link);
    if (url === null || !isSameSite(url, page.url) || seen.has(toSamePageKey(url))) continue;
    seen.add(toSamePageKey(url));
    found.push({ url, score: scoreLink(new URL(url), { wanted, below }) });
  }
  return found.sort((one, other) => other.score - one.score).map(({ url }) => url);
}

/** Scores 1 per target word, plus 0.5 below the page's path. */
function scoreLink(
  { pathname }: URL,
  { wanted, below }: { wanted: ReadonlySet<string>; below: string },
): number {
  const words = new Set(tokenizeWords(pathname.replaceAll(/[^\p{L}\p{N}%]+/gu, ' '), 'en'));
  const hits = [...wanted].filter((word) => words.has(word)).length;
  return hits + (below !== '/' && pathname.startsWith(below) ? 0.5 : 0);
}
