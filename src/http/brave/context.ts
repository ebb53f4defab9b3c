import { PRICES } from '../../billing/ledger/prices.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { creditsOfSearch } from '../calls/incomplete.ts';
import { parseBody } from '../calls/wire.ts';
import { parametersOf } from '../drop-in/parameters.ts';
import { passagesInBudget, passagesWithin } from '../drop-in/within-tokens.ts';
import { BraveContextFields, TOKENS, wantedPages } from './fields.ts';
import type { BraveDeps } from './web.ts';

const KNOWN_FIELDS = knownFields(Object.keys(BraveContextFields.shape));

/**
 * GET and POST /res/v1/llm/context: passages of the found pages, within a token budget. Errors: 422 validation_error, 503
 * recall_unavailable.
 */
export function braveContextHandler({ search, clock }: BraveDeps): PricedRoute['prepare'] {
  return ({ query, body, tenant, keep }) => {
    const parameters = parametersOf(query, body);
    const wanted = parseBody(BraveContextFields, parameters);
    const headers = ignoredHeader(ignoredFields(parameters, KNOWN_FIELDS));
    const { maximumNumberOfUrls: urls, maximumNumberOfSnippetsPerUrl: perPage } = wanted;
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...wantedPages(wanted, clock.now()),
          numResults: Math.floor(Math.min(wanted.count, urls ?? wanted.count)),
          ...passagesWithin({
            tokensPerPage: Math.floor(wanted.maximumNumberOfTokensPerUrl ?? TOKENS.perPage),
            ...(perPage === undefined ? {} : { perPage: Math.floor(perPage) }),
          }),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results: found, cache, timingsMs, incomplete } = answer;
        const results = wanted.contextThresholdMode ? found.filter(({ isWeak }) => !isWeak) : found;
        const passages = passagesInBudget(results, Math.floor(wanted.maximumNumberOfTokens ?? TOKENS.total));
        const body = toBody(results, passages);
        return { used: creditsOfSearch(answer), cache, timingsMs, incomplete, headers, body };
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
