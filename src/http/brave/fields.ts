import * as z from 'zod';
import { HIGHLIGHTS_MAX, RESULTS_MAX } from '../../contract/limits.ts';
import type { Filters } from '../../text/query/filters.ts';
import { readSiteOperators } from '../drop-in/site-operators.ts';
import { createCappedNumberSchema, createClampedSchema, flag, storeField } from '../shape-b/fields.ts';
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

type SharedFields = z.output<z.ZodObject<typeof shared>>;

/** Converts parsed fields to the query and its filters. `now` is in milliseconds since the epoch. */
export function buildQueryFilters({ q, freshness }: SharedFields, now: number): { query: string } & Filters {
  const [, startDate, endDate] = RANGE.exec(freshness ?? '') ?? [];
  const timeRange = SPANS[freshness ?? ''];
  return { ...readSiteOperators(q), ...computePublishedSpan({ timeRange, startDate, endDate }, now) };
}
