import { Failure, type FetchReason } from '../contract/errors.ts';

/** Converts a failure of the page to plain data; rethrows any other error. */
export function toExtractFailure(error: unknown): { ok: false; reason: FetchReason; message: string } {
  if (error instanceof Failure && error.fetch !== null)
    return { ok: false, reason: error.fetch.reason, message: error.message };
  throw error;
}
