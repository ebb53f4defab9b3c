/**
 * Readers of the fields of the second shape and of other services' shapes: flags, numbers, lists, domains, URLs, days and operators in a
 * query. They forgive more than the first shape: clients written for other services send texts for numbers and flags.
 */

import * as z from 'zod';
import {
  DOMAIN_FILTERS_MAX,
  EXTRACT_URLS_MAX,
  JSON_VALUES_MAX,
  QUERY_CHARS_MAX,
  SITE,
  URL_CHARS_MAX,
} from '../../contract/limits.ts';
import { DAY_MS, toUtcDay } from '../../platform/clock.ts';
import { type Filters, parseDomainFilter } from '../../text/query/filters.ts';
import type { Caller, JsonObject } from '../calls/call.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';
import { createValidationFailure, readJsonObject } from '../calls/json-body.ts';
import { isWithinQueryLength } from '../v1/content-fields.ts';
import { address } from '../v1/contents.ts';
import { day } from '../v1/day.ts';
import { STORE } from '../v1/opening.ts';

/** Merges the parameters of the query string and the body; the body wins, and the first of repeated parameters counts. */
export function mergeParameters(query: URLSearchParams, body: JsonObject): JsonObject {
  return { ...readFirstValues(query), ...body };
}

/**
 * Parses the bytes of a body that may be empty, a form or a JSON object. Throws `Failure('validation_error')` on the field `body` for
 * invalid JSON and too many fields.
 */
export function readForm(bytes: Uint8Array): JsonObject {
  if (bytes.find((byte) => byte > SPACE) === OBJECT_START) return readJsonObject(bytes);
  let fields = 1;
  for (const byte of bytes) if (byte === AMPERSAND) fields += 1;
  if (fields > JSON_VALUES_MAX)
    throw createValidationFailure([
      { field: 'body', message: `must not have more than ${JSON_VALUES_MAX.toLocaleString('en')} fields` },
    ]);
  return readFirstValues(new URLSearchParams(new TextDecoder().decode(bytes)));
}

function readFirstValues(parameters: URLSearchParams): JsonObject {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) if (!fields.has(name)) fields.set(name, value);
  return Object.fromEntries(fields);
}

const [SPACE, AMPERSAND, OBJECT_START] = [0x20, 0x26, 0x7b];

const TEXTS_OF_NO = new Set(['', 'false', 'no', 'off', '0', 'none', 'null']);

/** `true`, `1` and texts such as `"advanced"` -> true; `false`, `0`, texts such as `"false"` and anything else -> false. */
export const flag = z
  .unknown()
  .meta({ examples: [true, false, 'advanced'] })
  .transform((given) =>
    typeof given === 'string' ? !TEXTS_OF_NO.has(given.trim().toLowerCase()) : given === true || given === 1,
  )
  .default(false);

/** False: nothing that the call reads may be kept; any value that is not clearly true counts as false. */
export const storeField = flag
  .unwrap()
  .default(true)
  .meta({ ...STORE, examples: [true, false] });

/** An empty text counts as absent, because forms send all of their fields. */
export const treatEmptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema);

const WHOLE_NUMBER_TEXT = '^\\s*\\+?\\d{1,9}\\s*$';

type Bounds = { min: number; max: number };

/** A whole number or its text; values below `min` are refused, values above `max` become `max`. */
export const createCappedNumberSchema = ({ min, max }: Bounds) =>
  z
    .preprocess(
      readNumber,
      createWholeNumberSchema(min).transform((wanted) => Math.min(wanted, max)),
    )
    .meta({
      also: [{ type: 'string', pattern: WHOLE_NUMBER_TEXT, examples: [String(max)] }],
      description: `Values above ${max} count as ${max}.`,
    });

const NUMBER_TEXT = '^\\s*(?:[+-]?\\d+(?:\\.\\d+)?)?\\s*$';

/**
 * A number or its text, clamped to the bounds. An empty text counts as absent; anything else is refused, because it would change what a
 * call reads and costs. `usual`: the route's default, for the description.
 */
export const createClampedSchema = ({ min, max, usual }: Bounds & { usual?: number }) =>
  z
    .unknown()
    .meta({
      description: `From ${min} to ${max}; values outside are clamped.`,
      anyOf: [{ type: 'number' }, { type: 'string', pattern: NUMBER_TEXT }],
      examples: [min, max],
      ...(usual === undefined ? {} : { usual }),
    })
    .transform((given, context) => {
      const wanted = readNumber(given);
      if (typeof wanted === 'number') return Math.min(max, Math.max(min, wanted));
      const isEmpty = typeof given === 'string' && given.trim() === '';
      if (!isEmpty) context.addIssue({ code: 'custom', message: 'must be a number' });
      return undefined;
    })
    .optional();

function readNumber(given: unknown): unknown {
  return typeof given === 'string' && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(given) ? Number(given) : given;
}

/** An optional query; null if it is absent or only white space. */
export const optionalQuery = z
  .string('must be a string')
  .meta({ maxLength: QUERY_CHARS_MAX })
  .refine(isWithinQueryLength, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
  .transform((text) => (text.trim() === '' ? null : text))
  .nullable()
  .default(null);

/** One text or a list of texts, parsed to a list without empty texts. */
export const createTextListSchema = ({
  max,
  what,
  example,
}: {
  max: number;
  what: string;
  example: string;
}) =>
  z
    .preprocess(
      (given) => (typeof given === 'string' ? [given] : given),
      z
        .array(z.string('must be a string').meta({ examples: [example] }), `must be an array of ${what}`)
        .transform((texts) => texts.map((text) => text.trim()).filter((text) => text !== ''))
        .refine((texts) => texts.length <= max, `must have at most ${max} entries`),
    )
    .meta({ also: [{ type: 'string', examples: [example] }], description: `At most ${max} ${what}.` })
    .default([]);

/** Domains that a search is limited to or leaves out. */
export const domainList = createTextListSchema({
  max: DOMAIN_FILTERS_MAX,
  what: 'domains',
  example: 'example.org',
}).refine(
  (texts) => texts.every((text) => parseDomainFilter(text) !== null),
  'must hold domains such as example.org',
);

/** One page URL or a list of them; a missing scheme becomes https. */
export const urlList = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(address, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a URL or an array of URLs'),
      })
      .min(1, `must name 1 to ${EXTRACT_URLS_MAX} URLs`)
      .max(EXTRACT_URLS_MAX, `must have at most ${EXTRACT_URLS_MAX} URLs`),
  )
  .meta({
    also: [{ type: 'string', minLength: 1, maxLength: URL_CHARS_MAX, pattern: '\\S' }],
    description: 'One URL or a list of URLs; a missing scheme becomes https.',
  });

/** Computes the maximum pages from the requested number, at most `max`; without a key the cap is lower. */
export function computePagesMax(limit: number | undefined, max: number, caller: Caller): number {
  const asked = Math.min(Math.floor(limit ?? SITE.pages.default), max);
  return caller.kind === 'keyless' ? Math.min(asked, SITE.pages.keylessMax) : asked;
}

const DAYS_MAX = 36_500;
/** Days that each word reaches back, by the longest month and year. */
const DAYS_OF: Record<string, number> = { day: 1, d: 1, week: 7, w: 7, month: 31, m: 31, year: 366, y: 366 };

const timeRange = z
  .string('must be day, week, month or year')
  .meta({ examples: Object.keys(DAYS_OF) })
  .transform((word) => word.trim().toLowerCase())
  .refine((word) => word === '' || Object.hasOwn(DAYS_OF, word), 'must be day, week, month or year')
  .optional();

const optionalDay = treatEmptyAsAbsent(day.optional());

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

type Sites = { query: string; includeDomains: string[]; excludeDomains: string[] };

/**
 * Splits a query with operators (`site:`, `-site:`, alone or joined as in `(words) AND (site:a.org OR site:b.org)`) into its words and the
 * domain filters. A query that has only operators stays unchanged.
 */
export function readSiteOperators(text: string): Sites {
  const [include, exclude, words]: [string[], string[], string[]] = [[], [], []];
  for (const word of text.split(/\s+/)) {
    const [, open = '', minus, site = ''] = /^(\(?)(-?)site:([^()]+)\)?$/i.exec(word) ?? [];
    if (minus === undefined || parseDomainFilter(site) === null) {
      words.push(word);
      continue;
    }
    // `AND` before the group, `OR` between its sites.
    if (words.at(-1) === (open === '' ? 'OR' : 'AND')) words.pop();
    (minus === '' ? include : exclude).push(site);
  }
  const query = stripParentheses(words.join(' ').trim());
  if (query === '' || include.length + exclude.length === 0)
    return { query: text, includeDomains: [], excludeDomains: [] };
  return { query, includeDomains: include, excludeDomains: exclude };
}

/** `(knots and bends)` -> `knots and bends`. */
function stripParentheses(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith('(') && text.endsWith(')') && !/[()]/.test(inner) ? inner.trim() : text;
}
