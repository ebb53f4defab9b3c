import { PRICES } from '../../billing/ledger/prices.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { PricedRoute, WorkResult } from '../calls/call.ts';
import { buildIgnoredHeader } from '../calls/ignored-fields.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { parseBody } from '../calls/wire.ts';
import { mergeParameters } from '../drop-in/parameters.ts';
import { readSiteOperators } from '../drop-in/site-operators.ts';
import { buildSnippetRequest } from '../drop-in/snippets.ts';
import { computePublishedSpan } from '../shape-b/published-span.ts';
import { findIgnoredParameters, PAGE_RESULTS, PAGES_MAX, SearxngFields } from './fields.ts';
import { renderResults } from './formats.ts';

export type SearxngSearchDeps = { search: Search; clock: Clock; serviceUrl(): string };

const NOTHING: Pick<SearchAnswer, 'results' | 'sources'> = { results: [], sources: {} };

/**
 * GET and POST /searxng/search: one page of results, each with the best passage of its cached copy or its source's snippet.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createSearxngHandler({
  search,
  clock,
  serviceUrl,
}: SearxngSearchDeps): PricedRoute['prepare'] {
  return ({ query, body, tenant, keep }) => {
    const parameters = mergeParameters(query, body);
    const wanted = parseBody(SearxngFields, parameters);
    const headers = buildIgnoredHeader(findIgnoredParameters(parameters));
    const buildResponse = (answer: typeof NOTHING): Pick<WorkResult, 'body' | 'headers'> => {
      const { body, contentType } = renderResults(answer, {
        query: wanted.q,
        format: wanted.format,
        link: serviceUrl(),
      });
      return { body, headers: { 'content-type': contentType, ...headers } };
    };
    if (wanted.pageno > PAGES_MAX)
      return { most: 0, work: async () => ({ used: 0, ...buildResponse(NOTHING) }) };
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...readSiteOperators(wanted.q),
          numResults: wanted.pageno * PAGE_RESULTS,
          ...computePublishedSpan(wanted, clock.now()),
          ...buildSnippetRequest(1),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results, sources, cache, timingsMs, incomplete } = answer;
        const used = computeSearchCredits(answer);
        const page = results.slice((wanted.pageno - 1) * PAGE_RESULTS);
        return { used, cache, timingsMs, incomplete, ...buildResponse({ results: page, sources }) };
      },
    };
  };
}
