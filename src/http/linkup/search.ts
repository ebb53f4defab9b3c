import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { DOMAIN_FILTERS_MAX, RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import { declaredBy } from '../../search/pages/page-details.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import { parseDomainFilter } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/wire.ts';
import { passages } from '../drop-in/snippets.ts';
import { cappedNumber, faviconOf, storeField, textList } from '../shape-b/fields.ts';
import { dateFields } from '../shape-b/published-span.ts';
import { query } from '../v1/wanted.ts';

/** Passages of each page. */
const PASSAGES = { deep: 5, other: 3 };

const domains = textList({ max: DOMAIN_FILTERS_MAX, what: 'domains', example: 'example.org' }).refine(
  (texts) => texts.every((text) => parseDomainFilter(text) !== null),
  'must hold domains such as example.org',
);

export const LinkupSearchBody = z.object({
  q: query,
  depth: z
    .unknown()
    .meta({ examples: ['standard', 'deep', 'fast'] })
    .optional(),
  outputType: z
    .enum(
      ['searchResults', 'sourcedAnswer'],
      'must be searchResults or sourcedAnswer; structured output needs a model',
    )
    .default('searchResults'),
  maxResults: cappedNumber({ min: 1, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  includeDomains: domains,
  excludeDomains: domains,
  fromDate: dateFields.startDate,
  toDate: dateFields.endDate,
  store: storeField,
});
type Wanted = z.output<typeof LinkupSearchBody>;

const KNOWN_FIELDS = knownFields(Object.keys(LinkupSearchBody.shape));

/** POST /linkup/v1/search: results, or a quoted answer with its sources. Errors: 422 validation_error, 503 recall_unavailable. */
export function linkupSearchHandler(search: Search): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const wanted = parseBody(LinkupSearchBody, body);
    const headers = ignoredHeader(ignoredFields(body, KNOWN_FIELDS));
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          query: wanted.q,
          numResults: wanted.maxResults,
          includeDomains: wanted.includeDomains,
          excludeDomains: wanted.excludeDomains,
          publishedFrom: wanted.fromDate ?? null,
          publishedTo: wanted.toDate ?? null,
          ...passages(wanted.depth === 'deep' ? PASSAGES.deep : PASSAGES.other),
          answer: wanted.outputType === 'sourcedAnswer',
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { cache, timingsMs } = answer;
        return { used: PRICES.search, cache, timingsMs, headers, body: toBody(answer, wanted) };
      },
    };
  };
}

function toBody({ results, answer }: SearchAnswer, { outputType }: Wanted): JsonObject {
  if (outputType === 'searchResults')
    return {
      results: results.map((result) => ({ type: 'text', ...named(result), content: textOf(result) })),
    };
  return {
    answer: answer?.text ?? '',
    sources: results.map((result) => ({ ...named(result), snippet: textOf(result) })),
  };
}

const named = (result: SearchResult): JsonObject => ({
  name: result.title,
  url: result.url,
  favicon: declaredBy(result).favicon ?? faviconOf(result.url) ?? '',
});

const textOf = ({ highlights = [] }: SearchResult): string => highlights.join('\n\n');
