import { PRICES } from '../../billing/ledger/prices.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { PricedRoute, Worked } from '../calls/call.ts';
import { ignoredHeader } from '../calls/ignored-fields.ts';
import { creditsOfSearch } from '../calls/incomplete.ts';
import { parseBody } from '../calls/wire.ts';
import { parametersOf } from '../drop-in/parameters.ts';
import { readSiteOperators } from '../drop-in/site-operators.ts';
import { snippets } from '../drop-in/snippets.ts';
import { publishedSpan } from '../shape-b/published-span.ts';
import { PAGE_RESULTS, PAGES_MAX, SearxngFields, unheeded } from './fields.ts';
import { written } from './formats.ts';

export type SearxngSearchDeps = { search: Search; clock: Clock; serviceUrl(): string };

const NOTHING: Pick<SearchAnswer, 'results' | 'sources'> = { results: [], sources: {} };

/**
 * GET and POST /searxng/search: one page of results, each with the best passage of its cached copy or its source's snippet.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
export function searxngHandler({ search, clock, serviceUrl }: SearxngSearchDeps): PricedRoute['prepare'] {
  return ({ query, body, tenant, keep }) => {
    const parameters = parametersOf(query, body);
    const wanted = parseBody(SearxngFields, parameters);
    const headers = ignoredHeader(unheeded(parameters));
    const answered = (answer: typeof NOTHING): Pick<Worked, 'body' | 'headers'> => {
      const { body, contentType } = written(answer, {
        query: wanted.q,
        format: wanted.format,
        link: serviceUrl(),
      });
      return { body, headers: { 'content-type': contentType, ...headers } };
    };
    if (wanted.pageno > PAGES_MAX) return { most: 0, work: async () => ({ used: 0, ...answered(NOTHING) }) };
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...readSiteOperators(wanted.q),
          numResults: wanted.pageno * PAGE_RESULTS,
          ...publishedSpan(wanted, clock.now()),
          ...snippets(1),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results, sources, cache, timingsMs, incomplete } = answer;
        const used = creditsOfSearch(answer);
        const page = results.slice((wanted.pageno - 1) * PAGE_RESULTS);
        return { used, cache, timingsMs, incomplete, ...answered({ results: page, sources }) };
      },
    };
  };
}
