import * as z from 'zod';
import { toUtcDay } from '../../platform/clock.ts';
import type { Filters } from '../../text/query/filters.ts';
import { day } from '../v1/day.ts';
import { createClampedSchema } from './fields.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;
/** Days that each word reaches back, by the longest month and year. */
const DAYS_OF: Record<string, number> = { day: 1, d: 1, week: 7, w: 7, month: 31, m: 31, year: 366, y: 366 };

const timeRange = z
  .string('must be day, week, month or year')
  .meta({ examples: Object.keys(DAYS_OF) })
  .transform((word) => word.trim().toLowerCase())
  .refine((word) => word === '' || Object.hasOwn(DAYS_OF, word), 'must be day, week, month or year')
  .optional();

const optionalDay = z.preprocess((given) => (given === '' ? undefined : given), day.optional());

/** The fields that limit the published date. */
export const dateFields = {
  topic: z
    .unknown()
    .meta({ examples: ['general', 'news', 'finance'] })
    .optional(),
  timeRange,
  days: createClampedSchema({ min: 1, max: DAYS_MAX }),
  startDate: optionalDay,
  endDate: optionalDay,
};

type DateFields = {
  topic?: unknown;
  timeRange?: string | undefined;
  days?: number | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
};
type Span = Pick<Filters, 'publishedFrom' | 'publishedTo'>;

/**
 * Computes the range of published days, inclusive; the latest of the requested starts wins. `now` is in milliseconds since the epoch.
 * `days` has an effect only for news, because one client sends it with every query.
 */
export function computePublishedSpan(
  { topic, timeRange: word, days, startDate, endDate }: DateFields,
  now: number,
): Span {
  const subtractDays = (count: number): string => toUtcDay(now - count * DAY_MS);
  const starts: string[] = [];
  if (startDate !== undefined) starts.push(startDate);
  if (word !== undefined && word !== '') starts.push(subtractDays(DAYS_OF[word] ?? DAYS_MAX));
  if (days !== undefined && topic === 'news') starts.push(subtractDays(Math.ceil(days)));
  return { publishedFrom: starts.sort().at(-1) ?? null, publishedTo: endDate ?? null };
}
