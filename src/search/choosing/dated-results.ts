import type { OpenPage } from '../../pages/open-page-types.ts';
import { failedFilter } from '../../text/query/filters.ts';
import type { Lateness } from '../late-parts.ts';
import { openInTime } from '../open-in-time.ts';
import type { SearchRequest } from '../search-types.ts';
import type { Stopwatch } from '../stopwatch.ts';
import { type Choice, type Chosen, joinChoices } from './choose-results.ts';

const OPENED_MAX = 10;

/**
 * When a date filter leaves too few results, opens pages that the sources gave no date for, and adds those whose own date passes.
 * Does nothing without a date filter.
 */
export async function datedResults(
  openPage: OpenPage,
  request: SearchRequest,
  { chosen, watch, lateness }: { chosen: Chosen; watch: Stopwatch; lateness: Lateness },
): Promise<Chosen> {
  const missing = request.numResults - chosen.passing.length;
  const candidates = chosen.undated.slice(0, Math.min(OPENED_MAX, 2 * missing));
  const { publishedDate } = chosen.filters;
  if (missing <= 0 || candidates.length === 0 || publishedDate === undefined) return chosen;
  const pages = await watch.stage('dates', () =>
    openInTime(
      openPage,
      candidates.map(({ url }) => url),
      { signal: request.signal, tenant: request.tenant, keep: request.keep, lateness },
    ),
  );
  const failed = failedFilter(request);
  const found = candidates
    .map(
      (choice, place): Choice => ({ ...choice, publishedDay: pages[place]?.article.published?.day ?? null }),
    )
    .filter((choice) => failed(choice) === null);
  return {
    passing: joinChoices(chosen.passing, found),
    undated: chosen.undated,
    filters: {
      ...chosen.filters,
      publishedDate: { removed: publishedDate.removed - found.length, opened: candidates.length },
    },
  };
}
