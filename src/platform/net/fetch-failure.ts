import { createFetchFailure, Failure } from '../../contract/errors.ts';

const TIMEOUTS: Record<string, string> = {
  UND_ERR_HEADERS_TIMEOUT: 'the server did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'the page stopped arriving',
};
const CLOSED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_ABORTED']);

/** Turns any error of an exchange with a server into the failure that a fetch throws. */
export function toFetchFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = readErrorCode(error);
  const late = TIMEOUTS[code];
  if (late !== undefined) return createFetchFailure('timeout', late, { cause: error });
  if (CLOSED.has(code))
    return createFetchFailure('aborted', 'the service is shutting down', { cause: error });
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return createFetchFailure('protocol', 'the headers of the response are too large', { cause: error });
  if (BROKEN_OFF.has(code))
    return createFetchFailure('protocol', 'the server closed the connection', { cause: error });
  return createFetchFailure('protocol', "the server's response is invalid", { cause: error });
}

/** Returns whether the error means that the other side closed the connection. */
export function isReset(error: unknown): boolean {
  const code = readErrorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

function readErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
