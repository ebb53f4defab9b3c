/**
 * The shape of the Perplexity Search API: one or several queries per call, with passages within a token budget. Its chat completions are in
 * perplexity-chat.ts.
 */
import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { DOMAIN_FILTERS_MAX, QUERY_CHARS_MAX, RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LatePart } from '../../search/late-parts.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import { type Filters, parseDomainFilter } from '../../text/query/filters.ts';
import type { Writer } from '../../writing/writer.ts';
import type { JsonObject, PricedRoute, Route } from '../calls/call.ts';
import { createErrorFormat } from '../calls/error-format.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import type { Operation } from '../calls/operation.ts';
import { addWritingTime, LIMITS } from '../calls/route-limits.ts';
import { query } from '../v1/content-fields.ts';
import { day } from '../v1/day.ts';
import { NEEDS_MODEL } from '../writing/write-text.ts';
import { buildPostRoute, type CompatShape, createHandler, failureText, type ShapeErrors } from './core.ts';
import {
  computePublishedSpan,
  createCappedNumberSchema,
  createClampedSchema,
  createTextListSchema,
  dateFields,
  flag,
  storeField,
} from './fields.ts';
import { createChatBody, createChatHandler, describeChat } from './perplexity-chat.ts';
import { buildBudgetedPassageRequest, selectPassagesWithin } from './results.ts';

/** Maximum queries of one call. */
const QUERIES_MAX = 5;
const TOKENS_MAX = 1_000_000;
/** Default token budgets: three passages per page, and Perplexity's own default total. */
const TOKENS = { perPage: 525, total: 10_000 };

const queries = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(query, {
        error: ({ input }) =>
          input === undefined ? 'is required' : 'must be a string or an array of strings',
      })
      .min(1, `must have 1 to ${QUERIES_MAX} entries`)
      .max(QUERIES_MAX, `must have 1 to ${QUERIES_MAX} entries`),
  )
  .meta({
    also: [{ type: 'string', minLength: 1, maxLength: QUERY_CHARS_MAX, pattern: '\\S' }],
    description: `One query, or up to ${QUERIES_MAX}.`,
  });

const parseExclusion = (domain: string): string | null => (domain.startsWith('-') ? domain.slice(1) : null);

const domainFilter = createTextListSchema({
  max: DOMAIN_FILTERS_MAX,
  what: 'domains',
  example: 'example.org',
}).refine(
  (texts) => texts.every((text) => parseDomainFilter(parseExclusion(text) ?? text) !== null),
  'must hold domains such as example.org, or -example.org',
);

/** `3/1/2025` -> `2025-03-01`; other texts stay unchanged. */
const calendarDay = z.preprocess((given) => {
  if (given === '') return undefined;
  const [, month = '', date = '', year = ''] =
    typeof given === 'string' ? (/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(given.trim()) ?? []) : [];
  return year === '' ? given : `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
}, day.optional());

const SearchBody = z.object({
  query: queries,
  maxResults: createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  maxTokens: createClampedSchema({ min: 1, max: TOKENS_MAX, usual: TOKENS.total }),
  maxTokensPerPage: createClampedSchema({ min: 1, max: TOKENS_MAX, usual: TOKENS.perPage }),
  searchDomainFilter: domainFilter,
  searchRecencyFilter: z
    .preprocess((given) => (given === 'hour' ? 'day' : given), dateFields.timeRange)
    .meta({ description: 'Dates are days, so hour counts as day.' }),
  searchAfterDateFilter: calendarDay,
  searchBeforeDateFilter: calendarDay,
  displayServerTime: flag,
  store: storeField,
});
type SearchFields = z.output<typeof SearchBody>;
type FilterFields = Pick<
  SearchFields,
  'searchDomainFilter' | 'searchRecencyFilter' | 'searchAfterDateFilter' | 'searchBeforeDateFilter'
>;

const { searchDomainFilter, searchRecencyFilter, searchAfterDateFilter, searchBeforeDateFilter } =
  SearchBody.shape;
const ChatBody = createChatBody({
  searchDomainFilter,
  searchRecencyFilter,
  searchAfterDateFilter,
  searchBeforeDateFilter,
});

type PerplexityDeps = { search: Search; clock: Clock; writer: Writer | null };

/**
 * POST /pplx/search: one search per query, all at once; those that fail are free unless all do.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
function createPerplexityHandler({ search, clock }: PerplexityDeps): PricedRoute['prepare'] {
  return createHandler({ fields: SearchBody }, (wanted, { requestId, tenant, keep }) => ({
    most: wanted.query.length * PRICES.search,
    async work(signal) {
      const request = {
        numResults: wanted.maxResults,
        ...buildFilters(wanted, clock.now()),
        ...buildBudgetedPassageRequest({
          tokensPerPage: Math.floor(wanted.maxTokensPerPage ?? TOKENS.perPage),
        }),
        signal,
        tenant,
        keep: keep && wanted.store,
      };
      const answers = await collectAnswers(wanted.query.map((query) => search({ ...request, query })));
      const [only, ...others] = answers;
      const results = interleaveResults(answers.map((answer) => answer.results));
      const passages = selectPassagesWithin(results, Math.floor(wanted.maxTokens ?? TOKENS.total));
      return {
        used: answers.reduce((sum, answer) => sum + computeSearchCredits(answer), 0),
        incomplete: collectLateParts(answers, wanted.query.length),
        ...(only === undefined || others.length > 0 ? {} : { cache: only.cache, timingsMs: only.timingsMs }),
        body: {
          results: results.map((result, place) => toResult(result, passages[place] ?? [])),
          id: requestId,
          ...(wanted.displayServerTime ? { server_time: new Date(clock.now()).toISOString() } : {}),
        },
      };
    },
  }));
}

/** Returns the answers of the searches that succeed. Throws the first failure if none does, and any unexpected error. */
async function collectAnswers(searches: Promise<SearchAnswer>[]): Promise<SearchAnswer[]> {
  const ended = await Promise.allSettled(searches);
  const failures = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const fatal = failures.find((reason) => !(reason instanceof Failure));
  if (fatal !== undefined || failures.length === ended.length) throw fatal ?? failures[0];
  return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** Collects the late parts of all searches; a failed search counts as late results. */
function collectLateParts(answers: readonly SearchAnswer[], queries: number): LatePart[] {
  const late = answers.flatMap(({ incomplete }) => incomplete);
  return [...new Set(answers.length < queries ? [...late, 'results' as const] : late)];
}

/** Interleaves lists: the first result of each, then the second of each; every page once. */
function interleaveResults(lists: readonly SearchResult[][]): SearchResult[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const all = Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list[place] ?? []),
  ).flat();
  return [...new Map(all.toReversed().map((result) => [result.url, result])).values()].reverse();
}

function toResult(result: SearchResult, passages: readonly string[]): JsonObject {
  const { url, title, publishedDay } = result;
  const snippet = passages.join('\n\n');
  return { title, url, snippet, date: publishedDay, last_updated: resolveDeclared(result).modifiedDay };
}

/** Converts parsed fields to filters. `now` is in milliseconds since the epoch. */
function buildFilters(wanted: FilterFields, now: number): Filters {
  const domains = wanted.searchDomainFilter;
  return {
    includeDomains: domains.filter((domain) => parseExclusion(domain) === null),
    excludeDomains: domains.flatMap((domain) => parseExclusion(domain) ?? []),
    ...computePublishedSpan(
      {
        timeRange: wanted.searchRecencyFilter,
        startDate: wanted.searchAfterDateFilter,
        endDate: wanted.searchBeforeDateFilter,
      },
      now,
    ),
  };
}

/** `{error: {message, type, code}}`. */
const ERRORS: ShapeErrors = {
  format: createErrorFormat(({ code, status, text, requestId }) => ({
    error: { message: text, type: code, code: status },
    requestId,
  })),
  body: z
    .looseObject({ error: z.object({ message: failureText, type: z.string(), code: z.int() }) })
    .meta({ title: 'PerplexityFailure' }),
};

const AnswerBody = z
  .object({
    results: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        snippet: z.string().meta({ description: 'Passages of the page as Markdown.' }),
        date: z.string().nullable().meta({ description: 'YYYY-MM-DD, or null when unknown.' }),
        last_updated: z.string().nullable(),
      }),
    ),
    id: z.string(),
    server_time: z.string().optional(),
  })
  .meta({ title: 'PerplexityAnswer' });

/** The operation of Perplexity's search. */
const OPERATIONS: Record<string, Operation> = {
  'POST /pplx/search': {
    id: 'perplexitySearch',
    tag: 'drop-in',
    summary: 'Search the web, as Perplexity',
    about:
      'For clients of the Perplexity Search API; set their base URL to `/pplx`. Results of several queries come in turns, each page once.',
    price: '1 credit for each query.',
    body: SearchBody,
    spelling: 'snake_case',
    answer: AnswerBody,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { query: 'how does write-ahead logging work', max_results: 3 } },
  },
};

/** The shape of Perplexity. */
export const PERPLEXITY: CompatShape<PerplexityDeps> = {
  prefixes: ['/pplx'],
  errors: ERRORS,
  operations: OPERATIONS,
  missingWithoutModel: {
    bases: ['/pplx', '/pplx/v1'],
    operations: [{ why: NEEDS_MODEL, names: ['chat/completions'] }],
  },
  modelOperations: { 'POST /pplx/chat/completions': describeChat(ChatBody) },
  buildRoutes: (deps) => [
    buildPostRoute(['/pplx/search'], LIMITS.search, createPerplexityHandler(deps)),
    ...buildChatRoutes(deps),
  ],
};

const CHAT_PATHS = ['/pplx/chat/completions', '/pplx/v1/chat/completions'];

function buildChatRoutes({ writer, ...deps }: PerplexityDeps): Route[] {
  if (writer === null) return [];
  const limit = addWritingTime(LIMITS.search, writer);
  const prepare = createChatHandler(ChatBody, { ...deps, writer, buildFilters });
  return [{ ...buildPostRoute(CHAT_PATHS, limit, prepare), usesModel: true }];
}
