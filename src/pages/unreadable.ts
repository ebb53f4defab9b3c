import { Failure, type FetchReason } from '../contract/errors.ts';

/** Why a page cannot be read, as plain data; rethrows what is no failure of the page. */
export function unreadable(error: unknown): { ok: false; reason: FetchReason; message: string } {
  if (error instanceof Failure && error.fetch !== null)
    return { ok: false, reason: error.fetch.reason, message: error.message };
  throw error;
}
