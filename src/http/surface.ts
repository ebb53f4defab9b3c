import { type Failure, STATUS_OF } from '../errors.ts';
import type { JsonObject } from './call.ts';

/** How a shape of the interface words a failure. */
export type Surface = {
  /** The HTTP status and the body of a failure. */
  word(failure: Failure, requestId: string): { status: number; body: JsonObject };
};

/** `{error, message, requestId}`, and `details` for fields that were refused. */
export const firstShape: Surface = {
  word: ({ code, message, fields }, requestId) => ({
    status: STATUS_OF[code],
    body: {
      error: code,
      ...(code === 'internal' ? {} : { message }),
      ...(code === 'validation_error' ? { details: fields } : {}),
      requestId,
    },
  }),
};

/** `{detail: {error}}`: the code as text; a validation error tells field and reason behind it. */
export const secondShape: Surface = {
  word: ({ code, message }) => ({
    status: STATUS_OF[code],
    body: { detail: { error: code === 'validation_error' ? `${code}: ${message}` : code } },
  }),
};

/** The shape of a normalised path: everything under `/shapeB` speaks the second. */
export function surfaceOf(path: string): Surface {
  return /^\/shapeB(?:[/?]|$)/.test(path) ? secondShape : firstShape;
}
