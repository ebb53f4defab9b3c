import * as z from 'zod';
import { QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { JsonObject, WorkResult } from '../calls/call.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';
import { STORE } from '../v1/opening.ts';
import { isWithinQueryLength } from '../v1/wanted.ts';

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

/** The format of a page's text. */
export type PageFormat = 'markdown' | 'text';

/** `"text"` and `"plain"` -> plain text, everything else Markdown. */
export const pageFormat = z
  .unknown()
  .meta({ examples: ['markdown', 'text'] })
  .transform((given): PageFormat => (isPlainFormat(given) ? 'text' : 'markdown'))
  .default('markdown');

/** `true`, `"markdown"`, `"text"` -> the format of `raw_content`; null if it is not requested. */
export const rawContent = z
  .unknown()
  .meta({ examples: [true, 'markdown', 'text', false] })
  .transform((given): PageFormat | null => {
    if (!flag.parse(given)) return null;
    return isPlainFormat(given) ? 'text' : 'markdown';
  })
  .default(null);

function isPlainFormat(given: unknown): boolean {
  return typeof given === 'string' && /^\s*(?:plain_?)?text\s*$|^\s*plain\s*$/i.test(given);
}

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

/** Passages per page; if absent, each route uses its default. */
export const passageCount = createClampedSchema({ min: 1, max: 5 });

/** Client timeout in seconds, at most the route's own limit. */
export const createTimeoutSchema = (max: number) => createClampedSchema({ min: 1, max, usual: max });

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

const BETWEEN_PASSAGES = ' [...] ';

/** Joins the passages of one page into one text. */
export const joinPassages = (passages: readonly string[]): string => passages.join(BETWEEN_PASSAGES);

/** The share of the client's timeout that the work may use; the rest covers the network. */
const USED_SHARE_OF_TIMEOUT = 0.85;

/** Converts the client timeout in seconds to the time limit of the work in milliseconds, at most `max`. */
export function computeWorkMs(timeoutSeconds: number | undefined, max: number): number {
  return timeoutSeconds === undefined
    ? max
    : Math.min(max, Math.round(timeoutSeconds * 1_000 * USED_SHARE_OF_TIMEOUT));
}

/** Prepends https:// when the scheme is missing. */
export function addScheme(address: string): string {
  const text = address.trim();
  return /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text) ? text : `https://${text.replace(/^\/+/, '')}`;
}

/** Builds the conventional URL of a site's icon; not checked to exist. */
export function buildFaviconUrl(url: string): string | null {
  const page = URL.parse(url);
  return page === null ? null : new URL('/favicon.ico', page).href;
}

/** Builds the fields that end every response: seconds and the request id. */
export function buildClosingFields({ ms, requestId }: { ms: number; requestId: string }): JsonObject {
  return { response_time: Math.round(ms) / 1_000, request_id: requestId };
}

/** States the credits used, if requested. */
export function buildCostOption({ includeUsage }: { includeUsage: boolean }): Pick<WorkResult, 'cost'> {
  return includeUsage ? { cost: (credits) => ({ usage: { credits } }) } : {};
}
