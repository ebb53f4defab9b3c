import * as z from 'zod';
import { Failure } from '../../../contract/errors.ts';
import { JOBS } from '../../../contract/limits.ts';
import type { JobOrder, WebhookOrder } from '../../../jobs/job-types.ts';
import { isFraming } from '../../../platform/net/visit.ts';
import type { Call, Caller, JsonObject } from '../../calls/call.ts';
import { createValidationFailure } from '../../calls/wire.ts';
import { flag } from '../../shape-b/fields.ts';
import { isObject } from '../json-format.ts';

const EVENTS = ['started', 'page', 'completed', 'failed'] as const;
const HEADERS_MAX = 20;
const HEADER_CHARS_MAX = 2_048;
const METADATA_CHARS_MAX = 8_192;
const REQUEST_KEY_CHARS_MAX = 256;
/** https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** An address, or an object with an address, headers, metadata and the requested events. */
const webhook = z
  .unknown()
  .meta({
    description:
      'Where events are sent: an address, or {url, headers, metadata, events}. Events: started, page, completed, failed; all if absent. Needs a key.',
    examples: ['https://example.org/hook', { url: 'https://example.org/hook', events: ['completed'] }],
  })
  .transform((given, context): WebhookOrder | null => {
    const read = readWebhook(given);
    if (typeof read === 'object') return read;
    context.addIssue({ code: 'custom', message: read });
    return null;
  })
  .default(null);

/** Fields that crawls and batches share, besides the scrape options. */
export const jobFields = {
  webhook,
  maxConcurrency: z
    .number('must be a number')
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: `Pages of one host read at once, at most ${JOBS.perHostMax}.` }),
  zeroDataRetention: flag.meta({
    description: 'true: nothing is kept but the results, which expire within a day.',
  }),
};

/** Parses a webhook; returns a message if it is invalid. */
function readWebhook(given: unknown): WebhookOrder | string {
  const options: JsonObject = isObject(given) ? given : { url: given };
  const { url, headers = {}, metadata = {}, events = EVENTS } = omitNulls(options);
  if (typeof url !== 'string' || url.trim() === '') return 'must be an address or have one as its url';
  if (!Array.isArray(events)) return 'must have a list of events';
  const wanted = EVENTS.filter((event) => events.some((one) => one === event || isNamed(one, event)));
  if (wanted.length < events.length) return `must have events among ${EVENTS.join(', ')}`;
  if (!isObject(metadata) || JSON.stringify(metadata).length > METADATA_CHARS_MAX)
    return `must have metadata of at most ${METADATA_CHARS_MAX} characters of JSON`;
  const problem = findHeadersProblem(headers);
  if (problem !== null) return problem;
  const lowerCase = Object.entries(headers as Record<string, string>).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  return { url: url.trim(), headers: Object.fromEntries(lowerCase), metadata, events: wanted };
}

/** Version 1 of the shape prefixes events with the kind of the job: `crawl.page`. */
const isNamed = (given: unknown, event: string): boolean =>
  given === `crawl.${event}` || given === `batch_scrape.${event}`;

function findHeadersProblem(headers: unknown): string | null {
  if (!isObject(headers)) return 'must have headers as an object of texts';
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) return `must have at most ${HEADERS_MAX} headers`;
  for (const [name, value] of entries) {
    const isText = typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value);
    if (!HEADER_NAME.test(name) || !isText || value.length > HEADER_CHARS_MAX)
      return 'must have headers as an object of short texts';
    if (isFraming(name.toLowerCase())) return `must not set the header ${name}`;
  }
  return null;
}

function omitNulls(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

/** Returns the owner of a job and the key that pays for its pages; null: nobody pays. */
export function resolveOwner({ caller, tenant }: Pick<Call, 'caller' | 'tenant'>): {
  owner: string;
  keyId: string | null;
} {
  return { owner: tenant ?? '', keyId: caller.kind === 'key' ? caller.keyId : null };
}

/** Reads the idempotency key of a request. Throws `Failure('validation_error')`. */
export function readRequestKey({ headers }: Pick<Call, 'headers'>): string | null {
  const key = headers['x-idempotency-key'];
  if (key === undefined || key === '') return null;
  if (Array.isArray(key) || key.length > REQUEST_KEY_CHARS_MAX)
    throw createValidationFailure([
      {
        field: 'x-idempotency-key',
        message: `must be one text of at most ${REQUEST_KEY_CHARS_MAX} characters`,
      },
    ]);
  return key;
}

/** Returns the maximum pages and running jobs of a caller. */
export function chooseBounds(caller: Caller): { pagesMax: number; runningMax: number } {
  return caller.kind === 'keyless' ? JOBS.keyless : JOBS.keyed;
}

/** Throws `Failure('invalid_api_key')` for a webhook without a key, and `Failure('url_not_allowed')` for one that is not public. */
export function assertWebhook(
  order: WebhookOrder | null,
  { caller, checkUrl }: { caller: Caller; checkUrl(url: string): unknown },
): void {
  if (order === null) return;
  if (caller.kind === 'keyless')
    throw createKeyFailure('A webhook needs an API key. Without one, ask for the status.');
  checkUrl(order.url);
}

/** Creates the failure of a call that needs a key; its message gets a link to a key. */
export function createKeyFailure(message: string): Failure {
  return new Failure('invalid_api_key', message, { keyMissing: true });
}

/** Builds the per-host concurrency and delay of a job. */
export function buildPacing({
  maxConcurrency,
  delay,
}: {
  maxConcurrency?: number | undefined;
  delay?: number | undefined;
}): Pick<JobOrder, 'perHostMax' | 'delayMs'> {
  return {
    perHostMax:
      delay === undefined || delay === 0
        ? Math.min(JOBS.perHostMax, Math.floor(maxConcurrency ?? JOBS.perHostMax))
        : 1,
    delayMs: delay === undefined ? null : delay * 1_000,
  };
}
