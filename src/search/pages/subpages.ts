import { type Page, textOfArticle } from '../../pages/article.ts';
import type { Tenant } from '../../platform/sharing/fair-queue.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import { chooseSubpages } from '../../text/urls/choose-subpages.ts';
import { type CitedParts, withCitations } from '../cite-parts.ts';
import type { Lateness } from '../late-parts.ts';
import type { PruneWorker } from '../prune-worker.ts';
import { type DetailsWanted, detailsOf, NO_DETAILS, type PageDetails } from './page-details.ts';

/** How many pages of its site to open for each page, for all pages together, and the words that their addresses should hold. */
export type SubpagesWanted = { perPage: number; most: number; targets: string[] };

/** A page that another page of the same site links to. */
export type Subpage = CitedParts & {
  url: string;
  title: string;
  author: string | null;
  publishedDay: string | null;
  details: PageDetails;
};

type Asked = {
  subpages: SubpagesWanted;
  wanted: WantedParts;
  details?: DetailsWanted;
  query: string | null;
  signal: AbortSignal;
  tenant?: Tenant;
  /** Opens pages at once; null for each that fails or is late. */
  open(urls: string[]): Promise<(Page | null)[]>;
  /** Takes the parts of the subpages that there is no time for. */
  lateness: Lateness;
};

/** For each page (null: not opened), the subpages that loaded with their requested parts, in the order chosen. */
export async function openSubpages(
  prune: PruneWorker,
  pages: readonly (Page | null)[],
  { subpages, wanted, details = NO_DETAILS, query, signal, tenant, open, lateness }: Asked,
): Promise<Subpage[][]> {
  const urls = chosenFor(pages, subpages);
  const opened = await open(urls.flat());
  const loaded = opened.filter((page) => page !== null);
  const texts = loaded.map(({ article }) => textOfArticle(article));
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
        details: detailsOf(article, details),
        ...withCitations(parts[place] ?? {}, article),
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

/** The addresses to open for each page; none twice, and none of the pages themselves. */
function chosenFor(pages: readonly (Page | null)[], { perPage, most, targets }: SubpagesWanted): string[][] {
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
