import { PRICES } from '../../billing/ledger/prices.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields, parseBody } from '../calls/wire.ts';
import { mergeParameters } from '../drop-in/parameters.ts';
import { buildBudgetedPassageRequest, selectPassagesWithin } from '../drop-in/within-tokens.ts';
import type { BraveDeps } from './web.ts';
import { BraveContextFields, buildQueryFilters, TOKENS } from './web.ts';

const KNOWN_FIELDS = buildKnownFields(Object.keys(BraveContextFields.shape));

/**
 * GET and POST /res/v1/llm/context: passages of the found pages, within a token budget. Errors: 422 validation_error, 503
 * recall_unavailable.
 */
export function createBraveContextHandler({ search, clock }: BraveDeps): PricedRoute['prepare'] {
  return ({ query, body, tenant, keep }) => {
    const parameters = mergeParameters(query, body);
    const wanted = parseBody(BraveContextFields, parameters);
    const headers = buildIgnoredHeader(findIgnoredFields(parameters, KNOWN_FIELDS));
    const { maximumNumberOfUrls: urls, maximumNumberOfSnippetsPerUrl: perPage } = wanted;
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...buildQueryFilters(wanted, clock.now()),
          numResults: Math.floor(Math.min(wanted.count, urls ?? wanted.count)),
          ...buildBudgetedPassageRequest({
            tokensPerPage: Math.floor(wanted.maximumNumberOfTokensPerUrl ?? TOKENS.perPage),
            ...(perPage === undefined ? {} : { perPage: Math.floor(perPage) }),
          }),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results: found, cache, timingsMs, incomplete } = answer;
        const results = wanted.contextThresholdMode ? found.filter(({ isWeak }) => !isWeak) : found;
        const passages = selectPassagesWithin(
          results,
          Math.floor(wanted.maximumNumberOfTokens ?? TOKENS.total),
        );
        const body = toBody(results, passages);
        return { used: computeSearchCredits(answer), cache, timingsMs, incomplete, headers, body };
      },
    };
  };
}

/** Pages without a passage are left out. */
function toBody(results: readonly SearchResult[], passages: readonly string[][]): JsonObject {
  const quoted = results
    .map((result, place) => ({ ...result, snippets: passages[place] ?? [] }))
    .filter(({ snippets }) => snippets.length > 0);
  return {
    grounding: {
      generic: quoted.map(({ url, title, snippets }) => ({ url, title, snippets })),
      poi: null,
      map: [],
    },
    sources: Object.fromEntries(
      quoted.map(({ url, title, publishedDay }) => [
        url,
        { title, hostname: new URL(url).hostname, age: publishedDay === null ? null : [publishedDay] },
      ]),
    ),
  };
}
