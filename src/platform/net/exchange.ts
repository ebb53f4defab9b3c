import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import type { GuardedConnector } from './connector.ts';
import { untilAborted } from './deadline.ts';
import { isReset } from './fetch-failure.ts';

/**
 * Status and headers; the body has not been read yet. Header names are lower-case; repeated headers are joined with ", ",
 * those of SEPARATE_LINES with a line break.
 */
export type ExchangeResponse = { status: number; headers: Record<string, string>; body: Readable };

/** If one of these headers names a bot, only that header applies to it, so they must stay apart. */
const SEPARATE_LINES = new Set(['x-robots-tag']);

/** One GET, or a POST if there is a body, and its response; does not follow redirects. Throws what undici throws, or the signal's reason. */
export type Exchange = (
  url: URL,
  options: { headers: Record<string, string>; body?: string | undefined; signal: AbortSignal },
) => Promise<ExchangeResponse>;

/** Exchanges over the pooled connections of an agent. */
export function createExchange(open: () => Promise<Agent>, connector: GuardedConnector): Exchange {
  return async (url, { headers, body, signal }) => {
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      ...(body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const)),
      headers,
      signal,
    };
    const agent = await open();
    const openedBefore = connector.opened(url.origin);
    try {
      return toResponse(await untilAborted(agent.request(request), signal));
    } catch (error) {
      const onKeptConnection = openedBefore !== undefined && connector.opened(url.origin) === openedBefore;
      const mayRepeat = body === undefined && !signal.aborted;
      // The server closed the kept connection just as we wrote to it, which says nothing about the page: retry.
      if (!isReset(error) || !onKeptConnection || !mayRepeat) throw error;
      return toResponse(await untilAborted(agent.request(request), signal));
    }
  };
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): ExchangeResponse {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const lowerCase = name.toLowerCase();
    const separator = SEPARATE_LINES.has(lowerCase) ? '\n' : ', ';
    joined[lowerCase] = Array.isArray(value) ? value.join(separator) : value;
  }
  return { status: statusCode, headers: joined, body };
}
