import type { Page } from '../../pages/article.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { compatible } from '../../text/words/compatible.ts';
import { plainPage } from '../../text/words/plain-page.ts';
import type { Lateness } from '../late-parts.ts';
import { openInTime } from '../open-in-time.ts';
import type { SearchRequest, TextFilter } from '../search-types.ts';
import type { Stopwatch } from '../stopwatch.ts';
import type { Choice, Chosen } from './choose-results.ts';

/** Pages opened beyond the number of results, because some of them fail the filter. */
const SPARE_PAGES = 10;
/** What of a page is looked at. */
const PAGE_CHARS_MAX = 300_000;

/** Drops results whose pages fail the text filter; a page that does not open is judged by its title and snippet. */
export async function passTextFilter(
  openPage: OpenPage,
  request: SearchRequest,
  { chosen, watch, lateness }: { chosen: Chosen; watch: Stopwatch; lateness: Lateness },
): Promise<Chosen> {
  const filter = request.pageText;
  if (filter === undefined) return chosen;
  const candidates = chosen.passing.slice(0, request.numResults + SPARE_PAGES);
  const { signal, tenant, keep, opening } = request;
  const pages = await watch.stage('texts', () =>
    openInTime(
      openPage,
      candidates.map(({ url }) => url),
      { signal, tenant, keep, lateness, ...(opening === undefined ? {} : { opening }) },
    ),
  );
  const failed = candidates.map((choice, place) => failedText(textOf(choice, pages[place] ?? null), filter));
  const opened = pages.filter((page) => page !== null).length;
  const reportOf = (name: keyof TextFilter): { removed: number; opened: number } => ({
    removed: failed.filter((one) => one === name).length,
    opened,
  });
  return {
    passing: candidates.filter((_, place) => failed[place] === null),
    undated: chosen.undated,
    filters: {
      ...chosen.filters,
      ...(filter.include.length === 0 ? {} : { includeText: reportOf('include') }),
      ...(filter.exclude.length === 0 ? {} : { excludeText: reportOf('exclude') }),
    },
  };
}

function failedText(text: string, { include, exclude }: TextFilter): keyof TextFilter | null {
  if (!include.every((wanted) => text.includes(even(wanted)))) return 'include';
  return exclude.some((unwanted) => text.includes(even(unwanted))) ? 'exclude' : null;
}

function textOf({ title, snippet }: Choice, page: Page | null): string {
  if (page === null) return even(`${title}\n${snippet}`);
  return even(`${page.article.title}\n${plainPage(page.article.markdown.slice(0, PAGE_CHARS_MAX))}`);
}

const even = (text: string): string => compatible(text).toLowerCase().replace(/\s+/g, ' ').trim();
