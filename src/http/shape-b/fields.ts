import { z } from 'zod';
import { QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { JsonObject } from '../calls/call.ts';
import { wholeNumber } from '../calls/whole-number.ts';
import { withinQueryLength } from '../v1/wanted.ts';

const TEXTS_OF_NO = new Set(['', 'false', 'no', 'off', '0', 'none', 'null']);

/** `true`, a level such as `"advanced"`, `1` -> true; `false`, `"false"`, `0` and what is no answer at all -> false. */
export const flag = z
  .unknown()
  .meta({ examples: [true, false, 'advanced'] })
  .transform((given) =>
    typeof given === 'string' ? !TEXTS_OF_NO.has(given.trim().toLowerCase()) : given === true || given === 1,
  )
  .default(false);

/** How the text of a page is to be written. */
export type PageFormat = 'markdown' | 'text';

/** `"text"` and `"plain"` -> plain text, everything else Markdown. */
export const pageFormat = z
  .unknown()
  .meta({ examples: ['markdown', 'text'] })
  .transform((given): PageFormat => (isWordForPlain(given) ? 'text' : 'markdown'))
  .default('markdown');

/** `true`, `"markdown"`, `"text"` -> how raw content is written; null when it is not wanted. */
export const rawContent = z
  .unknown()
  .meta({ examples: [true, 'markdown', 'text', false] })
  .transform((given): PageFormat | null => {
    if (!flag.parse(given)) return null;
    return isWordForPlain(given) ? 'text' : 'markdown';
  })
  .default(null);

function isWordForPlain(given: unknown): boolean {
  return typeof given === 'string' && /^\s*(?:plain_?)?text\s*$|^\s*plain\s*$/i.test(given);
}

const WHOLE_NUMBER_TEXT = '^\\s*\\+?\\d{1,9}\\s*$';

type Bounds = { min: number; max: number };

/** A whole number, or a text of one; below the least it is refused, above the most it is the most. */
export const cappedNumber = ({ min, max }: Bounds) =>
  z
    .preprocess(
      readNumber,
      wholeNumber(min).transform((wanted) => Math.min(wanted, max)),
    )
    .meta({
      also: [{ type: 'string', pattern: WHOLE_NUMBER_TEXT, examples: [String(max)] }],
      description: `More than ${max} is read as ${max}.`,
    });

/** A number, or a text of one, brought within its bounds; what is no number counts as absent. */
export const clamped = ({ min, max }: Bounds) =>
  z
    .unknown()
    .meta({ description: `From ${min} to ${max}; what lies beyond is brought within.`, examples: [min, max] })
    .transform((given) => {
      const wanted = readNumber(given);
      return typeof wanted === 'number' ? Math.min(max, Math.max(min, wanted)) : undefined;
    })
    .optional();

function readNumber(given: unknown): unknown {
  return typeof given === 'string' && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(given) ? Number(given) : given;
}

/** Passages of a page that are wanted in one text; absent: as many as the call gives by itself. */
export const passageCount = clamped({ min: 1, max: 5 });

/** Seconds after which a client gives up; whatever it says, a call takes no longer than its limit. */
export const timeoutSeconds = (max: number) => clamped({ min: 1, max });

/** A question that may be left out; nothing but white space is none. Parsed: the question or null. */
export const optionalQuery = z
  .string('must be a string')
  .meta({ maxLength: QUERY_CHARS_MAX })
  .refine(withinQueryLength, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
  .transform((text) => (text.trim() === '' ? null : text))
  .nullable()
  .default(null);

/** One text or a list of texts -> a list; empty texts are left out. */
export const textList = ({ max, what, example }: { max: number; what: string; example: string }) =>
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

/** What stands between two passages of one page. */
const BETWEEN_PASSAGES = ' [...] ';

/** Passages of one page in one text. */
export const joinPassages = (passages: readonly string[]): string => passages.join(BETWEEN_PASSAGES);

/** Of the time that a client waits for an answer, so much is used: the rest is the way there and back. */
const USED_SHARE_OF_TIMEOUT = 0.85;

/** Seconds that a client waits -> milliseconds within which the work must end; it never takes longer than `max`. */
export function workMs(timeoutSeconds: number | undefined, max: number): number {
  return timeoutSeconds === undefined
    ? max
    : Math.min(max, Math.round(timeoutSeconds * 1_000 * USED_SHARE_OF_TIMEOUT));
}

/** An address as people write it: without a scheme it is https. */
export function withScheme(address: string): string {
  const text = address.trim();
  return /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text) ? text : `https://${text.replace(/^\/+/, '')}`;
}

/** Where a site keeps its icon by convention; nobody has looked whether it is there. */
export function faviconOf(url: string): string | null {
  const page = URL.parse(url);
  return page === null ? null : new URL('/favicon.ico', page).href;
}

/** The end of every answer: seconds, the id of the request, and the credits where they are asked for. */
export function closing({
  ms,
  requestId,
  used,
  withUsage,
}: {
  ms: number;
  requestId: string;
  used: number;
  withUsage: boolean;
}): JsonObject {
  return {
    response_time: Math.round(ms) / 1_000,
    request_id: requestId,
    ...(withUsage ? { usage: { credits: used } } : {}),
  };
}
