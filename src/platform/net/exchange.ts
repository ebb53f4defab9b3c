import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import type { GuardedConnector } from './connector.ts';
import { awaitUnlessAborted } from './deadline.ts';
import { isReset } from './fetch-failure.ts';
import { joinHeaders } from './joined-headers.ts';

/** A response with headers as `joinHeaders` joins them; the body has not been read yet. */
export type ExchangeResponse = { status: number; headers: Record<string, string>; body: Readable };

/** Sends one GET, or a POST if there is a body; does not follow redirects. Throws what undici throws, or the signal's reason. */
export type Exchange = (
  url: URL,
  options: { headers: Record<string, string>; body?: string | undefined; signal: AbortSignal },
) => Promise<ExchangeResponse>;

/** Creates exchanges over the pooled connections of an agent. */
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
      return toResponse(await awaitUnlessAborted(agent.request(request), signal));
    } catch (error) {
      const onKeptConnection = openedBefore !== undefined && connector.opened(url.origin) === openedBefore;
      const mayRepeat = body === undefined && !signal.aborted;
      // The server closed the kept connection just as we wrote to it, which says nothing about the page: retry.
      if (!isReset(error) || !onKeptConnection || !mayRepeat) throw error;
      return toResponse(await awaitUnlessAborted(agent.request(request), signal));
    }
  };
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): ExchangeResponse {
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  return { status: statusCode, headers: joinHeaders(lines), body };
}
