import * as z from 'zod';
import type { JsonObject, WorkResult } from '../calls/call.ts';
import { createClampedSchema, flag } from '../compat/fields.ts';

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

/** Passages per page; if absent, each route uses its default. */
export const passageCount = createClampedSchema({ min: 1, max: 5 });

/** Client timeout in seconds, at most the route's own limit. */
export const createTimeoutSchema = (max: number) => createClampedSchema({ min: 1, max, usual: max });

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

/** Builds the fields that end every response: seconds and the request id. */
export function buildClosingFields({ ms, requestId }: { ms: number; requestId: string }): JsonObject {
  return { response_time: Math.round(ms) / 1_000, request_id: requestId };
}

/** States the credits used, if requested. */
export function buildCostOption({ includeUsage }: { includeUsage: boolean }): Pick<WorkResult, 'cost'> {
  return includeUsage ? { cost: (credits) => ({ usage: { credits } }) } : {};
}
