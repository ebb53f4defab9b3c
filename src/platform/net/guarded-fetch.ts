/**
 * Fetches foreign addresses safely: every address and redirect is checked, connections go only to permitted addresses, and time, size,
 * redirects and concurrency are bounded. It returns responses; it neither interprets nor caches them.
 */
import type { Agent } from 'undici';
import { VERSION } from '../../contract/version.ts';
import type { GuardedConnector } from './connector.ts';
import { createExchange, startDeadline, toFetchFailure } from './exchange.ts';
import type { GuardedFetch, Redirect } from './fetch-types.ts';
import { createTurns, createVisit, followHops } from './follow-redirects.ts';
import { createGuard, FETCH_LIMITS, type FetchLimits, type Guard, type GuardOptions } from './guard.ts';

export type GuardedNetwork = Pick<Guard, 'checkUrl' | 'addressOf'> & {
  fetch: GuardedFetch;
  close(): Promise<void>;
};

type GuardedFetchOptions = GuardOptions & {
  /** Replaces the default user agent; must identify the service truthfully. */
  userAgent?: string;
  /** Refuses redirects to another origin than the first. */
  staysOnOrigin?: boolean;
  /** Overrides of FETCH_LIMITS. */
  limits?: Partial<FetchLimits>;
};

/** Product name of the service in the user agent. */
export const PRODUCT = `compatible; Sanderling/${VERSION}`;

const DEFAULT_HEADERS = {
  'user-agent': `Mozilla/5.0 (${PRODUCT})`,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.9,*/*;q=0.8',
  'accept-language': 'en,*;q=0.5',
};

/**
 * The only way to foreign addresses; fetch-types.ts documents `fetch` and `checkUrl`. `close` aborts running fetches
 * ('aborted'). Throws RangeError for an invalid CIDR.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedNetwork {
  const limits: FetchLimits = { ...FETCH_LIMITS, ...options.limits };
  const { checkUrl, connector, addressOf, close } = createGuard(options, limits);
  let agent: Promise<Agent> | null = null;
  const visit = createVisit({
    turns: createTurns(limits),
    exchange: createExchange(() => (agent ??= createAgent(connector, limits)), connector),
    checkUrl,
    staysOnOrigin: options.staysOnOrigin ?? false,
    defaults: { ...DEFAULT_HEADERS, ...(options.userAgent ? { 'user-agent': options.userAgent } : {}) },
  });

  return {
    checkUrl,
    addressOf,
    fetch: async (request) => {
      const first = checkUrl(request.url);
      const { signal, end } = startDeadline(request.timeoutMs ?? limits.timeoutMs, request.signal);
      try {
        const redirects: Redirect[] = [];
        const final = await followHops(first, limits.redirectsMax, async (url) => {
          const hop = await visit(url, { first, request, signal });
          if ('next' in hop) redirects.push({ url: url.href, headers: hop.headers });
          return hop;
        });
        return { ...final, redirects };
      } catch (error) {
        throw toFetchFailure(error);
      } finally {
        end();
      }
    },
    async close() {
      close();
      await (await agent)?.destroy();
    },
  };
}

/**
 * HTTP/1.1 only, one request at a time per connection: fewer surprises from untrusted hosts. Imported with the first fetch, because
 * the client takes 8 MB and a tenth of a start.
 */
async function createAgent(connector: GuardedConnector, limits: FetchLimits): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: connector.connect,
    connections: limits.perHostMax,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleMs,
    keepAliveTimeout: limits.keepAliveMs,
    keepAliveMaxTimeout: limits.keepAliveMs,
  });
}
