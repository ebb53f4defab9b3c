/**
 * The external search engine of Open WebUI; its external page loader is in load.ts. Both take the fields that Open WebUI sends, and answer
 * with bare lists.
 */
import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import type { Search } from '../../search/search.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { PricedRoute } from '../calls/call.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields, parseBody } from '../calls/wire.ts';
import { buildJsonList } from '../drop-in/json-list.ts';
import { buildSnippetRequest, readSnippet } from '../drop-in/snippets.ts';
import { createCappedNumberSchema, storeField } from '../shape-b/fields.ts';
import { query } from '../v1/wanted.ts';

export const OpenWebuiSearchBody = z.object({
  query,
  count: createCappedNumberSchema({ min: 0, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  store: storeField,
});

const KNOWN_FIELDS = buildKnownFields(Object.keys(OpenWebuiSearchBody.shape));

/** POST /openwebui/search: an array of `{link, title, snippet}`. Errors: 422 validation_error, 503 recall_unavailable. */
export function createOpenWebuiSearchHandler(search: Search): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const wanted = parseBody(OpenWebuiSearchBody, body);
    const ignored = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          query: wanted.query,
          numResults: wanted.count,
          ...NO_FILTERS,
          ...buildSnippetRequest(1),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results, cache, timingsMs, incomplete } = answer;
        const used = computeSearchCredits(answer);
        const items = results.map((result) => ({
          link: result.url,
          title: result.title,
          snippet: readSnippet(result),
        }));
        return { used, cache, timingsMs, incomplete, ...buildJsonList(items, ignored) };
      },
    };
  };
}
