import { Failure, type FailureCode, fetchFailed } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import type { JobReading } from '../job-types.ts';

/** What another process is asked to read. */
type ReadWanted = { url: string; reading: unknown; tenant: string | null; keep: boolean };

type ReadResult =
  | { reading: JobReading }
  | { failure: { code: FailureCode; message: string; fetch: Failure['fetch'] } };

export function writeRequest(request: Omit<ReadWanted, 'tenant'> & { tenant: Tenant }): string {
  const { url, reading, keep, tenant = null } = request;
  return JSON.stringify({ url, reading, keep, tenant } satisfies ReadWanted);
}

export function readRequest(json: string): ReadWanted {
  return JSON.parse(json) as ReadWanted;
}

/** A page that was read, or the `Failure` that says why it was not; null for any other error, which is not for others to have. */
export function writeResult(outcome: { reading: JobReading } | { error: unknown }): string | null {
  if ('reading' in outcome) return JSON.stringify(outcome satisfies ReadResult);
  if (!(outcome.error instanceof Failure)) return null;
  const { code, message, fetch } = outcome.error;
  return JSON.stringify({ failure: { code, message, fetch } } satisfies ReadResult);
}

/** Throws the `Failure` that came instead of a page. */
export function readResult(json: string): JobReading {
  const result = JSON.parse(json) as ReadResult;
  if ('reading' in result) return result.reading;
  const { code, message, fetch } = result.failure;
  throw fetch === null ? new Failure(code, message) : fetchFailedAs(code, message, fetch);
}

function fetchFailedAs(code: FailureCode, message: string, fetch: NonNullable<Failure['fetch']>): Failure {
  if (code !== 'fetch_failed') return new Failure(code, message, { fetch });
  return fetchFailed(fetch.reason, message, fetch);
}
