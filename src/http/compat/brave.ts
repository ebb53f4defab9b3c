/** The shape of the Brave Search API: results of the web, and passages for a model within a budget of tokens. */

import * as z from 'zod';
import { HIGHLIGHTS_MAX, RESULTS_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Search } from '../../search/search.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { Filters } from '../../text/query/filters.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { createErrorFormat } from '../calls/error-format.ts';
import { omitNulls } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { query } from '../v1/content-fields.ts';
import {
  buildGetAndPostRoutes,
  type CompatShape,
  createSearchHandler,
  describeParameters,
  failureText,
  type ShapeErrors,
} from './core.ts';
import {
  computePublishedSpan,
  createCappedNumberSchema,
  createClampedSchema,
  flag,
  mergeParameters,
  readSiteOperators,
  storeField,
  treatEmptyAsAbsent,
} from './fields.ts';
import {
  buildBudgetedPassageRequest,
  buildSnippetRequest,
  findIcon,
  readSnippet,
  selectPassagesWithin,
} from './results.ts';

const COUNT_DEFAULT = 20;
const OFFSET_MAX = 9;
/** Maximum rank of results, over all pages. */
const DEPTH_MAX = 50;
/** Passages of a page in addition to its description. */
const EXTRA_SNIPPETS = 5;
/** Default token budgets of passages; the same as Brave's. */
const TOKENS = { perPage: 4_096, total: 8_192 };
/** Time spans named by `freshness` -> the names used by other shapes. */
const SPANS: Record<string, string> = { pd: 'day', pw: 'week', pm: 'month', py: 'year' };
const RANGE = /^(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})$/;

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
const WebFields = z.object({
  ...shared,
  offset: createClampedSchema({ min: 0, max: OFFSET_MAX }),
  extraSnippets: flag,
});
const ContextFields = z.object({
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
type WebRequest = z.output<typeof WebFields>;

type BraveDeps = { search: Search; clock: Clock };

/** GET and POST /res/v1/web/search: one page of results. Errors: 422 validation_error, 503 recall_unavailable. */
function createWebHandler({ search, clock }: BraveDeps): PricedRoute['prepare'] {
  return createSearchHandler(search, {
    fields: WebFields,
    readParameters: ({ query, body }) => mergeParameters(query, body),
    toRequest(wanted) {
      const { start, end } = computeRanks(wanted);
      if (start >= DEPTH_MAX) return null;
      return {
        ...buildQueryFilters(wanted, clock.now()),
        numResults: end,
        ...buildSnippetRequest(wanted.extraSnippets ? 1 + EXTRA_SNIPPETS : 1),
      };
    },
    toAnswer({ results: found }, wanted) {
      const { start, end } = computeRanks(wanted);
      const results = found.slice(start);
      const hasMore = results.length === wanted.count && end < DEPTH_MAX;
      return {
        body: {
          type: 'search',
          query: { original: wanted.q, more_results_available: hasMore },
          web: { type: 'search', results: results.map(toResult), family_friendly: UNJUDGED },
        },
      };
    },
  });
}

/** Returns the rank before the first result of a page, and the rank of its last. */
function computeRanks({ offset = 0, count }: WebRequest): { start: number; end: number } {
  const start = Math.floor(offset) * count;
  return { start, end: Math.min(DEPTH_MAX, start + count) };
}

/** Value of `family_friendly`. Results are not rated, but clients require the field and drop results without it. */
const UNJUDGED = true;

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
      favicon: findIcon(result),
      path: pathname,
    },
    ...(highlights.length > 1 ? { extra_snippets: highlights.slice(1) } : {}),
  };
}

/**
 * GET and POST /res/v1/llm/context: passages of the found pages, within a token budget. Errors: 422 validation_error, 503
 * recall_unavailable.
 */
function createContextHandler({ search, clock }: BraveDeps): PricedRoute['prepare'] {
  return createSearchHandler(search, {
    fields: ContextFields,
    readParameters: ({ query, body }) => mergeParameters(query, body),
    toRequest(wanted) {
      const { maximumNumberOfUrls: urls, maximumNumberOfSnippetsPerUrl: perPage } = wanted;
      return {
        ...buildQueryFilters(wanted, clock.now()),
        numResults: Math.floor(Math.min(wanted.count, urls ?? wanted.count)),
        ...buildBudgetedPassageRequest({
          tokensPerPage: Math.floor(wanted.maximumNumberOfTokensPerUrl ?? TOKENS.perPage),
          ...(perPage === undefined ? {} : { perPage: Math.floor(perPage) }),
        }),
      };
    },
    toAnswer({ results: found }, wanted) {
      const results = wanted.contextThresholdMode ? found.filter(({ isWeak }) => !isWeak) : found;
      const tokensMax = Math.floor(wanted.maximumNumberOfTokens ?? TOKENS.total);
      return { body: buildContext(results, selectPassagesWithin(results, tokensMax)) };
    },
  });
}

/** Pages without a passage are left out. */
function buildContext(results: readonly SearchResult[], passages: readonly string[][]): JsonObject {
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

/** Converts parsed fields to the query and its filters. `now` is in milliseconds since the epoch. */
function buildQueryFilters(
  { q, freshness }: z.output<z.ZodObject<typeof shared>>,
  now: number,
): { query: string } & Filters {
  const [, startDate, endDate] = RANGE.exec(freshness ?? '') ?? [];
  const timeRange = SPANS[freshness ?? ''];
  return { ...readSiteOperators(q), ...computePublishedSpan({ timeRange, startDate, endDate }, now) };
}

/** `{type: "ErrorResponse", error: {id, status, code, detail}}`. */
const ERRORS: ShapeErrors = {
  format: createErrorFormat(({ code, status, text, requestId }) => ({
    type: 'ErrorResponse',
    error: { id: requestId, status, code: code.toUpperCase(), detail: text },
  })),
  body: z
    .object({
      type: z.literal('ErrorResponse'),
      error: z.object({ id: z.string(), status: z.int(), code: z.string(), detail: failureText }),
    })
    .meta({ title: 'BraveFailure' }),
};

const ABOUT = {
  q: 'The query; `site:` and `-site:` filter domains.',
  count: 'How many results.',
  freshness: 'pd, pw, pm, py, or a range of days.',
  store: 'false: keep nothing.',
};

const familyFriendly = z.boolean().meta({ description: 'Always true: results are not judged.' });

const WebAnswer = z
  .object({
    type: z.literal('search'),
    query: z.object({ original: z.string(), more_results_available: z.boolean() }),
    web: z.object({
      type: z.literal('search'),
      family_friendly: familyFriendly,
      results: z.array(
        z.looseObject({
          family_friendly: familyFriendly,
          title: z.string(),
          url: z.string(),
          description: z.string().meta({ description: 'A passage of the page as plain text; may be empty.' }),
          page_age: z.string().optional(),
          extra_snippets: z.array(z.string()).optional(),
        }),
      ),
    }),
  })
  .meta({ title: 'BraveWebAnswer' });

const ContextAnswer = z
  .object({
    grounding: z.object({
      generic: z.array(z.object({ url: z.string(), title: z.string(), snippets: z.array(z.string()) })),
      poi: z.null(),
      map: z.array(z.string()),
    }),
    sources: z.record(
      z.string(),
      z.object({ title: z.string(), hostname: z.string(), age: z.array(z.string()).nullable() }),
    ),
  })
  .meta({ title: 'BraveContextAnswer' });

const WEB = {
  tag: 'drop-in',
  price: '1 credit.',
  answer: WebAnswer,
  errors: ['validation_error', 'recall_unavailable'],
} as const satisfies Partial<Operation>;
const CONTEXT = { ...WEB, answer: ContextAnswer };

/** The operations of Brave's shape. */
const OPERATIONS: Record<string, Operation> = {
  'GET /res/v1/web/search': {
    ...WEB,
    id: 'braveWebSearch',
    summary: 'Search the web, as Brave',
    about: 'For clients of the Brave Search API; the key may stand in `X-Subscription-Token`.',
    parameters: describeParameters(WebFields, {
      ...ABOUT,
      offset: 'Pages of `count` results to skip; behind 50 results the list is empty.',
      extraSnippets: 'Up to five more passages of each page.',
    }),
    errors: [...WEB.errors],
    example: { path: '/res/v1/web/search?q=how+does+write-ahead+logging+work&count=3' },
  },
  'POST /res/v1/web/search': {
    ...WEB,
    id: 'braveWebSearchPost',
    summary: 'Search the web with a body, as Brave',
    about: 'The parameters of the GET as JSON or a form, for queries that are long for an address.',
    body: WebFields,
    spelling: 'snake_case',
    errors: [...WEB.errors],
    example: { body: { q: 'how does write-ahead logging work', count: 3 } },
  },
  'GET /res/v1/llm/context': {
    ...CONTEXT,
    id: 'braveContext',
    summary: 'Get passages for a query, as Brave',
    about: 'Passages of the pages that a search finds, as Markdown, within a budget of tokens.',
    parameters: describeParameters(ContextFields, {
      ...ABOUT,
      maximumNumberOfUrls: 'Pages.',
      maximumNumberOfTokens: 'Tokens of all passages; default 8192.',
      maximumNumberOfTokensPerUrl: 'Default 4096.',
      maximumNumberOfSnippetsPerUrl: 'Passages of each page.',
    }),
    errors: [...CONTEXT.errors],
    example: { path: '/res/v1/llm/context?q=how+does+write-ahead+logging+work&count=3' },
  },
  'POST /res/v1/llm/context': {
    ...CONTEXT,
    id: 'braveContextPost',
    summary: 'Get passages for a query with a body, as Brave',
    about: 'The parameters of the GET as JSON or a form.',
    body: ContextFields,
    spelling: 'snake_case',
    errors: [...CONTEXT.errors],
    example: { body: { q: 'how does write-ahead logging work', maximum_number_of_tokens: 1_000 } },
  },
};

/** The shape of Brave. */
export const BRAVE: CompatShape<BraveDeps> = {
  prefixes: ['/res'],
  errors: ERRORS,
  operations: OPERATIONS,
  buildRoutes: (deps) => [
    ...buildGetAndPostRoutes(['/res/v1/web/search'], LIMITS.search, createWebHandler(deps)),
    ...buildGetAndPostRoutes(['/res/v1/llm/context'], LIMITS.search, createContextHandler(deps)),
  ],
};
