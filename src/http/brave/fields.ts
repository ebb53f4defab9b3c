import * as z from 'zod';
import { HIGHLIGHTS_MAX, RESULTS_MAX } from '../../contract/limits.ts';
import type { Filters } from '../../text/query/filters.ts';
import { readSiteOperators } from '../drop-in/site-operators.ts';
import { cappedNumber, clamped, flag, storeField } from '../shape-b/fields.ts';
import { publishedSpan } from '../shape-b/published-span.ts';
import { query } from '../v1/wanted.ts';

const COUNT_DEFAULT = 20;
/** Default token budgets of passages; the same as Brave's. */
export const TOKENS = { perPage: 4_096, total: 8_192 };
const OFFSET_MAX = 9;

/** Time spans named by `freshness` -> the names used by other shapes. */
const SPANS: Record<string, string> = { pd: 'day', pw: 'week', pm: 'month', py: 'year' };
const RANGE = /^(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})$/;

const unlessEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema);

const shared = {
  q: query,
  count: unlessEmpty(cappedNumber({ min: 1, max: RESULTS_MAX }).default(COUNT_DEFAULT)),
  freshness: unlessEmpty(
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
  offset: clamped({ min: 0, max: OFFSET_MAX }),
  extraSnippets: flag,
});

export const BraveContextFields = z.object({
  ...shared,
  maximumNumberOfUrls: clamped({ min: 1, max: RESULTS_MAX }),
  maximumNumberOfTokens: clamped({ min: 1, max: 32_768, usual: TOKENS.total }),
  maximumNumberOfTokensPerUrl: clamped({ min: 1, max: 8_192, usual: TOKENS.perPage }),
  maximumNumberOfSnippetsPerUrl: clamped({ min: 1, max: HIGHLIGHTS_MAX }),
  contextThresholdMode: z
    .unknown()
    .transform((given) => given === 'strict')
    .meta({ description: '`strict` leaves weak results out.', examples: ['strict', 'balanced', 'lenient'] })
    .default(false),
});

type Shared = z.output<z.ZodObject<typeof shared>>;

/** Converts parsed fields to the query and its filters. `now` is in milliseconds since the epoch. */
export function wantedPages({ q, freshness }: Shared, now: number): { query: string } & Filters {
  const [, startDate, endDate] = RANGE.exec(freshness ?? '') ?? [];
  const timeRange = SPANS[freshness ?? ''];
  return { ...readSiteOperators(q), ...publishedSpan({ timeRange, startDate, endDate }, now) };
}
