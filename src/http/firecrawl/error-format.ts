import * as z from 'zod';
import type { FailureCode } from '../../contract/errors.ts';
import { createErrorFormat, type ErrorFormat } from '../calls/error-format.ts';

const body = createErrorFormat(({ code, text, requestId }) => ({
  success: false,
  error: text,
  code,
  requestId,
}));

/** Clients retry a call answered with 502, and read 408 as a page that was too slow. */
const PAGE_FAILED = 500;
const PAGE_TOO_SLOW = 408;

const chooseStatus = (code: FailureCode): number =>
  code === 'fetch_failed' ? PAGE_FAILED : body.statusOf(code);

/** `{success: false, error, code}`, where `error` is for people and contains the payment link if credits are missing. */
export const firecrawlFormat: ErrorFormat = {
  statusOf: chooseStatus,
  word(failure, circumstances) {
    const isTooSlow = failure.code === 'fetch_failed' && failure.fetch?.reason === 'timeout';
    const status = isTooSlow ? PAGE_TOO_SLOW : chooseStatus(failure.code);
    return { ...body.word(failure, circumstances), status };
  },
};

/** Body of a failure. */
export const FirecrawlFailureBody = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: 'What went wrong, with the link where it helps.' }),
    code: z.string(),
    requestId: z.string(),
  })
  .meta({ title: 'FirecrawlFailure' });
