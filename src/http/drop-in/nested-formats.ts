import * as z from 'zod';
import { type Failure, type FailureCode, type FetchReason, STATUS_OF } from '../../contract/errors.ts';
import { createErrorFormat, type ErrorFormat } from '../calls/error-format.ts';

const REASON_CHARS_MAX = 400;
const plain = createErrorFormat(({ code, text, requestId }) => ({ error: text, code, requestId }));
/**
 * `{error, code}`, where `error` is for people. If credits are missing, the status line repeats it: some clients of these shapes show
 * nothing else.
 */
export const plainFormat: ErrorFormat = {
  ...plain,
  word(failure, circumstances) {
    const worded = plain.word(failure, circumstances);
    return worded.status === 402 ? { ...worded, statusMessage: formatReasonPhrase(worded.body) } : worded;
  },
};
/** Body of a failure. */
export const PlainFailureBody = z
  .object({
    error: z.string().meta({ description: 'What went wrong, with the link where it helps.' }),
    code: z.string(),
    requestId: z.string(),
  })
  .meta({ title: 'PlainFailure' });

/** Perplexity: `{error: {message, type, code}}`. */
export const perplexityFormat: ErrorFormat = createErrorFormat(({ code, status, text, requestId }) => ({
  error: { message: text, type: code, code: status },
  requestId,
}));

/** Linkup's clients recognise invalid requests and unreadable pages by 400 and a code. */
const LINKUP_BAD_REQUESTS: ReadonlySet<FailureCode> = new Set(['validation_error', 'fetch_failed']);
const BAD_REQUEST = 400;

/** Codes of pages that could not be read; all other reasons are FETCH_ERROR. */
const LINKUP_CODES: Partial<Record<FetchReason, string>> = {
  timeout: 'FETCH_TARGET_UNREACHABLE',
  dns: 'FETCH_TARGET_UNREACHABLE',
  connect: 'FETCH_TARGET_UNREACHABLE',
  protocol: 'FETCH_TARGET_UNREACHABLE',
  too_large: 'FETCH_RESPONSE_TOO_LARGE',
  unsupported_type: 'FETCH_UNSUPPORTED_CONTENT_TYPE',
};
const GONE: ReadonlySet<number | null> = new Set([404, 410]);

const chooseLinkupStatus = (code: FailureCode): number =>
  LINKUP_BAD_REQUESTS.has(code) ? BAD_REQUEST : STATUS_OF[code];

/** Linkup: `{statusCode, error: {code, message, details}}`. */
export const linkupFormat: ErrorFormat = createErrorFormat(
  ({ code, fetch, status, text, fields, requestId }) => ({
    statusCode: status,
    error: {
      code: fetch === null ? code.toUpperCase() : chooseLinkupCode(fetch),
      message: text,
      details: fields,
    },
    requestId,
  }),
  chooseLinkupStatus,
);

function chooseLinkupCode({ reason, httpStatus }: NonNullable<Failure['fetch']>): string {
  if (reason === 'not_allowed') return 'URL_NOT_ALLOWED';
  if (GONE.has(httpStatus)) return 'FETCH_TARGET_NOT_FOUND';
  return LINKUP_CODES[reason] ?? 'FETCH_ERROR';
}

/** Brave: `{type: "ErrorResponse", error: {id, status, code, detail}}`. */
export const braveFormat: ErrorFormat = createErrorFormat(({ code, status, text, requestId }) => ({
  type: 'ErrorResponse',
  error: { id: requestId, status, code: code.toUpperCase(), detail: text },
}));

const text = z.string().meta({ description: 'What went wrong, with the link where it helps.' });

export const PerplexityFailureBody = z
  .looseObject({ error: z.object({ message: text, type: z.string(), code: z.int() }) })
  .meta({ title: 'PerplexityFailure' });

export const LinkupFailureBody = z
  .looseObject({
    statusCode: z.int(),
    error: z.object({
      code: z.string(),
      message: text,
      details: z.array(z.object({ field: z.string(), message: z.string() })),
    }),
  })
  .meta({ title: 'LinkupFailure' });

export const BraveFailureBody = z
  .object({
    type: z.literal('ErrorResponse'),
    error: z.object({ id: z.string(), status: z.int(), code: z.string(), detail: text }),
  })
  .meta({ title: 'BraveFailure' });

/** Formats text for a status line (RFC 9112, section 4): one line of printable ASCII. */
function formatReasonPhrase(said: unknown): string {
  const { error } = said as { error: string };
  return error.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_CHARS_MAX);
}
