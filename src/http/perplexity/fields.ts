import * as z from 'zod';
import { DOMAIN_FILTERS_MAX, QUERY_CHARS_MAX, RESULTS_DEFAULT, RESULTS_MAX } from '../../contract/limits.ts';
import { type Filters, parseDomainFilter } from '../../text/query/filters.ts';
import {
  createCappedNumberSchema,
  createClampedSchema,
  createTextListSchema,
  flag,
  storeField,
} from '../shape-b/fields.ts';
import { computePublishedSpan, dateFields } from '../shape-b/published-span.ts';
import { day } from '../v1/day.ts';
import { query } from '../v1/wanted.ts';

/** Maximum queries of one call. */
const QUERIES_MAX = 5;
const TOKENS_MAX = 1_000_000;
/** Default token budgets: three passages per page, and Perplexity's own default total. */
export const TOKENS = { perPage: 525, total: 10_000 };

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

export const PerplexitySearchBody = z.object({
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
type PerplexityFields = z.output<typeof PerplexitySearchBody>;

/** Converts parsed fields to filters. `now` is in milliseconds since the epoch. */
export function buildFilters(wanted: PerplexityFields, now: number): Filters {
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
