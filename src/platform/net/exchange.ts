import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { GuardedConnector } from './connector.ts';
import { describeProxyStatus, PROXY_LOGIN } from './egress/egress.ts';

const TIMEOUTS: Record<string, string> = {
  UND_ERR_HEADERS_TIMEOUT: 'the server did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'the page stopped arriving',
};
const CLOSED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_ABORTED']);

/** Headers whose repeated lines stay separate, because a line that names a bot replaces the others for that bot. */
const SEPARATE_LINES = new Set(['x-robots-tag']);

/** A response with headers as `joinHeaders` joins them; the body has not been read yet. */
export type ExchangeResponse = { status: number; headers: Record<string, string>; body: Readable };

/** Sends one GET, or a POST if there is a body; does not follow redirects. Throws what undici throws, or the signal's reason. */
export type Exchange = (
  url: URL,
  options: { headers: Record<string, string>; body?: string | Uint8Array | undefined; signal: AbortSignal },
) => Promise<ExchangeResponse>;

/** Creates exchanges over the pooled connections of an agent. */
export function createExchange(open: () => Promise<Agent>, connector: GuardedConnector): Exchange {
  return async (url, { headers, body, signal }) => {
    const forwarding = connector.forwarding(url);
    const request = {
      origin: url.origin,
      path: forwarding?.path ?? url.pathname + url.search,
      ...(body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const)),
      headers: forwarding === null ? headers : { ...headers, ...forwarding.headers },
      signal,
    };
    const read = (answer: Dispatcher.ResponseData): ExchangeResponse => {
      if (forwarding === null || answer.statusCode !== PROXY_LOGIN) return toResponse(answer);
      answer.body.on('error', () => {}).destroy();
      throw createFetchFailure('connect', describeProxyStatus(PROXY_LOGIN));
    };
    const agent = await open();
    const openedBefore = connector.opened(url.origin);
    try {
      return read(await awaitUnlessAborted(agent.request(request), signal));
    } catch (error) {
      const onKeptConnection = openedBefore !== undefined && connector.opened(url.origin) === openedBefore;
      const mayRepeat = body === undefined && !signal.aborted;
      // The server closed the kept connection just as we wrote to it, which says nothing about the page: retry.
      if (!isReset(error) || !onKeptConnection || !mayRepeat) throw error;
      return read(await awaitUnlessAborted(agent.request(request), signal));
    }
  };
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): ExchangeResponse {
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  return { status: statusCode, headers: joinHeaders(lines), body };
}

/**
 * Joins headers by lower-case name. Repeated headers are joined with ", ", those in SEPARATE_LINES with a line break.
 */
export function joinHeaders(lines: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of lines) {
    const lowerCase = name.toLowerCase();
    const before = joined[lowerCase];
    const separator = SEPARATE_LINES.has(lowerCase) ? '\n' : ', ';
    joined[lowerCase] = before === undefined ? value : before + separator + value;
  }
  return joined;
}

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
function isReset(error: unknown): boolean {
  const code = readErrorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

function readErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

/** One signal for all waits of a fetch. It aborts with the `Failure` that the fetch then throws. */
type Deadline = { readonly signal: AbortSignal; end(): void };

/** Aborts after `timeoutMs` ('timeout') or with the caller's own signal ('aborted'), whichever is first. */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController();
  const hangUp = (): void => controller.abort(createFetchFailure('aborted', 'the fetch was cancelled'));
  const timer = setTimeout(
    () =>
      controller.abort(
        createFetchFailure('timeout', `the page did not arrive within ${Math.round(timeoutMs / 10) / 100} s`),
      ),
    timeoutMs,
  );
  if (caller?.aborted) hangUp();
  else caller?.addEventListener('abort', hangUp, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', hangUp);
    },
  };
}

/** Awaits `work`, or rejects with the signal's reason as soon as it aborts; later results and failures of `work` are dropped. */
export async function awaitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
