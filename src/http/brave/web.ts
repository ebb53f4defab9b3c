/**
 * The shape of the Brave Search API: web search here, LLM context in context.ts. Clients of Brave only change their base URL; every
 * parameter is translated to a search of this service.
 */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { HIGHLIGHTS_MAX, RESULTS_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { Search } from '../../search/search.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { Filters } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  omitNulls,
  parseBody,
} from '../calls/wire.ts';
import { mergeParameters } from '../drop-in/parameters.ts';
import { readSiteOperators } from '../drop-in/site-operators.ts';
import { buildSnippetRequest, readSnippet } from '../drop-in/snippets.ts';
import {
  buildFaviconUrl,
  createCappedNumberSchema,
  createClampedSchema,
  flag,
  storeField,
} from '../shape-b/fields.ts';
import { computePublishedSpan } from '../shape-b/published-span.ts';
import { query } from '../v1/wanted.ts';

const COUNT_DEFAULT = 20;
/** Default token budgets of passages; the same as Brave's. */
export const TOKENS = { perPage: 4_096, total: 8_192 };
const OFFSET_MAX = 9;
/** Time spans named by `freshness` -> the names used by other shapes. */
const SPANS: Record<string, string> = { pd: 'day', pw: 'week', pm: 'month', py: 'year' };
const RANGE = /^(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})$/;
const treatEmptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema);
const shared = {
  q: query,
  count: treatEmptyAsAbsent(createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).default(COUNT_DEFAULT)),
  freshness: treatEmptyAsAbsent(
    z
      .string()
      .refine((text) => Object.hasOwn(SPANS, text) || RANGE.test(text), {
        error: 'must be pd, pw, pm, py or a range such as 2025-01-01to2025-01-31',
      })
      .meta({
        description: 'Only pages of a span: pd, pw, pm, py, or a range of days.',
        examples: [...Object.keys(SPANS), '2025-01-01to2025-01-31'],
      })
      .optional(),
  ),
  store: storeField,
};
export const BraveWebFields = z.object({
  ...shared,
  offset: createClampedSchema({ min: 0, max: OFFSET_MAX }),
  extraSnippets: flag,
});
export const BraveContextFields = z.object({
  ...shared,
  maximumNumberOfUrls: createClampedSchema({ min: 1, max: RESULTS_MAX }),
  maximumNumberOfTokens: createClampedSchema({ min: 1, max: 32_768, usual: TOKENS.total }),
  maximumNumberOfTokensPerUrl: createClampedSchema({ min: 1, max: 8_192, usual: TOKENS.perPage }),
  maximumNumberOfSnippetsPerUrl: createClampedSchema({ min: 1, max: HIGHLIGHTS_MAX }),
  contextThresholdMode: z
    .unknown()
    .transform((given) => given === 'strict')
    .meta({ description: '`strict` leaves weak results out.', examples: ['strict', 'balanced', 'lenient'] })
    .default(false),
});

/** Maximum rank of results, over all pages. */
const DEPTH_MAX = 50;
/** Passages of a page in addition to its description. */
const EXTRA_SNIPPETS = 5;

/** Value of `family_friendly`. Results are not rated, but clients require the field and drop results without it. */
const UNJUDGED = true;

const KNOWN_FIELDS = buildKnownFields(Object.keys(BraveWebFields.shape));

export type BraveDeps = { search: Search; clock: Clock };

/** GET and POST /res/v1/web/search: one page of results. Errors: 422 validation_error, 503 recall_unavailable. */
export function createBraveWebHandler({ search, clock }: BraveDeps): PricedRoute['prepare'] {
  return ({ query, body, tenant, keep }) => {
    const parameters = mergeParameters(query, body);
    const wanted = parseBody(BraveWebFields, parameters);
    const headers = buildIgnoredHeader(findIgnoredFields(parameters, KNOWN_FIELDS));
    const start = Math.floor(wanted.offset ?? 0) * wanted.count;
    const numResults = Math.min(DEPTH_MAX, start + wanted.count);
    const buildBody = (results: readonly SearchResult[]): JsonObject => ({
      type: 'search',
      query: {
        original: wanted.q,
        more_results_available: results.length === wanted.count && numResults < DEPTH_MAX,
      },
      web: { type: 'search', results: results.map(toResult), family_friendly: UNJUDGED },
    });
    if (start >= DEPTH_MAX) return { most: 0, work: async () => ({ used: 0, headers, body: buildBody([]) }) };
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...buildQueryFilters(wanted, clock.now()),
          numResults,
          ...buildSnippetRequest(wanted.extraSnippets ? 1 + EXTRA_SNIPPETS : 1),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results, cache, timingsMs, incomplete } = answer;
        const body = buildBody(results.slice(start));
        return { used: computeSearchCredits(answer), cache, timingsMs, incomplete, headers, body };
      },
    };
  };
}

function toResult(result: SearchResult): JsonObject {
  const { url, title, publishedDay, highlights = [] } = result;
  const { protocol, host, hostname, pathname } = new URL(url);
  return {
    type: 'search_result',
    subtype: 'generic',
    is_source_local: false,
    is_source_both: false,
    family_friendly: UNJUDGED,
    title,
    url,
    description: readSnippet(result),
    ...omitNulls({ page_age: publishedDay === null ? null : `${publishedDay}T00:00:00`, age: publishedDay }),
    meta_url: {
      scheme: protocol.slice(0, -1),
      netloc: host,
      hostname,
      favicon: resolveDeclared(result).favicon ?? buildFaviconUrl(url),
      path: pathname,
    },
    ...(highlights.length > 1 ? { extra_snippets: highlights.slice(1) } : {}),
  };
}

type SharedFields = z.output<z.ZodObject<typeof shared>>;

/** Converts parsed fields to the query and its filters. `now` is in milliseconds since the epoch. */
export function buildQueryFilters({ q, freshness }: SharedFields, now: number): { query: string } & Filters {
  const [, startDate, endDate] = RANGE.exec(freshness ?? '') ?? [];
  const timeRange = SPANS[freshness ?? ''];
  return { ...readSiteOperators(q), ...computePublishedSpan({ timeRange, startDate, endDate }, now) };
}
