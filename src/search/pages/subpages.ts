import { type Page, toPageText } from '../../pages/article.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import { chooseSubpages } from '../../text/urls/choose-subpages.ts';
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
