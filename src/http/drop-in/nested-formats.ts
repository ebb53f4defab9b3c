import * as z from 'zod';
import { type ErrorFormat, formatOf } from '../calls/error-format.ts';

/** Perplexity: `{error: {message, type, code}}`. */
export const perplexityFormat: ErrorFormat = formatOf(({ code, status, text, requestId }) => ({
  error: { message: text, type: code, code: status },
  requestId,
}));

/** Linkup: `{statusCode, error: {code, message, details}}`. */
export const linkupFormat: ErrorFormat = formatOf(({ code, status, text, fields, requestId }) => ({
  statusCode: status,
  error: { code: code.toUpperCase(), message: text, details: fields },
  requestId,
}));

/** Brave: `{type: "ErrorResponse", error: {id, status, code, detail}}`. */
export const braveFormat: ErrorFormat = formatOf(({ code, status, text, requestId }) => ({
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
