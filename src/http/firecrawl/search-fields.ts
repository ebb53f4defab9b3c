import * as z from 'zod';
import { RESULTS_MAX } from '../../contract/limits.ts';
import { toUtcDay } from '../../platform/clock.ts';
import type { Filters } from '../../text/query/filters.ts';
import type { JsonObject } from '../calls/call.ts';
import { buildKnownFields, findIgnoredFields } from '../calls/wire.ts';
import { createCappedNumberSchema } from '../shape-b/fields.ts';
import { storeField } from '../v1/opening.ts';
import { domains } from '../v1/search.ts';
import { query } from '../v1/wanted.ts';
import { findIgnoredOptions } from './ignored-options.ts';
import { isObject } from './json-format.ts';
import { type Rendering, scrapeOptions } from './scrape-fields.ts';

const RESULTS_DEFAULT = 5;
const DAY_MS = 86_400_000;
/** Days that each letter of `qdr` reaches back; searches have no hour resolution. */
const DAYS_OF: Record<string, number> = { h: 1, d: 1, w: 7, m: 31, y: 366 };

/** Result groups; a search fills one of them. */
const GROUPS = ['web', 'news'] as const;
type Group = (typeof GROUPS)[number];

/** POST /v2/search. */
export const SearchBody = z.object({
  query,
  limit: createCappedNumberSchema({ min: 1, max: RESULTS_MAX }).default(RESULTS_DEFAULT),
  includeDomains: domains,
  excludeDomains: domains,
  sources: z
    .unknown()
    .meta({
      description: 'The group that the results come in: web (the default) or news.',
      examples: [['web'], [{ type: 'news' }]],
    })
    .transform((given): Group => {
      const named = readSourceNames(given);
      return GROUPS.find((group) => named.includes(group)) ?? 'web';
    })
    .prefault(['web']),
  tbs: z
    .unknown()
    .meta({
      description:
        'Only pages published in this span: qdr:d, qdr:w, qdr:m, qdr:y or cdr:1,cd_min:12/31/2025,cd_max:1/31/2026.',
      examples: ['qdr:w', 'cdr:1,cd_min:12/31/2025'],
    })
    .optional(),
  scrapeOptions: z
    .object(scrapeOptions, 'must be an object')
    .optional()
    .meta({ description: 'Read every result, as /v2/scrape does.' }),
  store: storeField,
});
export type SearchFields = z.output<typeof SearchBody>;

const KNOWN = buildKnownFields([
  ...Object.keys(SearchBody.shape),
  ...['origin', 'integration', 'ignoreInvalidURLs', 'highlights', 'enterprise'],
]);

function readSourceNames(given: unknown): string[] {
  const all: unknown[] = Array.isArray(given) ? given : [given];
  return all.map((one) => String(isObject(one) ? one.type : one));
}

/** Finds the fields without effect, in the caller's spelling. */
export function findIgnoredSearchFields(
  body: JsonObject,
  { sources, scrapeOptions: options }: SearchFields,
  rendering: Rendering,
): string[] {
  const given = body.scrapeOptions ?? body.scrape_options;
  const raw = isObject(given) ? given : {};
  const others = body.sources === undefined || body.sources === null ? [] : readSourceNames(body.sources);
  return [
    ...findIgnoredFields(body, KNOWN),
    ...others.filter((name) => name !== sources).map((name) => `sources.${name.slice(0, 40)}`),
    ...(options === undefined
      ? []
      : findIgnoredOptions(raw, options, rendering).map((name) => `scrapeOptions.${name}`)),
  ];
}

type Span = Pick<Filters, 'publishedFrom' | 'publishedTo'>;

/** Parses a time span as search engines spell it into its first and last day, inclusive; an unreadable part sets no bound. */
export function parsePublishedSpan(tbs: unknown, now: number): Span {
  const text = typeof tbs === 'string' ? tbs : '';
  const [, letter = '', count = ''] = /\bqdr:([hdwmy])(\d{0,3})/.exec(text) ?? [];
  const days = DAYS_OF[letter];
  if (days !== undefined)
    return { publishedFrom: toUtcDay(now - days * Number(count || 1) * DAY_MS), publishedTo: null };
  return { publishedFrom: parseDay(CD_MIN.exec(text)), publishedTo: parseDay(CD_MAX.exec(text)) };
}

/** Month first. */
const CD_MIN = /\bcd_min:(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/;
const CD_MAX = /\bcd_max:(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/;

function parseDay(found: RegExpExecArray | null): string | null {
  const [, month = '', day = '', year = ''] = found ?? [];
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${written}T00:00:00Z`);
  return Number.isNaN(time) || toUtcDay(time) !== written ? null : written;
}
