import * as z from 'zod';
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

/** Formats text for a status line (RFC 9112, section 4): one line of printable ASCII. */
function formatReasonPhrase(said: unknown): string {
  const { error } = said as { error: string };
  return error.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_CHARS_MAX);
}

/** Body of a failure. */
export const PlainFailureBody = z
  .object({
    error: z.string().meta({ description: 'What went wrong, with the link where it helps.' }),
    code: z.string(),
    requestId: z.string(),
  })
  .meta({ title: 'PlainFailure' });
