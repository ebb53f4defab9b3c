import assert from 'node:assert/strict';
import { PAGE_BYTES_MAX } from '../../contract/limits.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import type { Exchange, ExchangeResponse } from './exchange.ts';
import type { CheckUrl, FetchedResponse, FetchRequest } from './fetch-types.ts';
import { notAllowed } from './network.ts';
import { readBody } from './read-body.ts';
import { type Hop, isRedirect, redirectTarget } from './redirects.ts';
import type { Turns } from './turns.ts';

/** One hop of a fetch that began at `first`: waits for a turn with the host, asks, and reads the body when it is final. */
type Visit = (
  url: URL,
  context: { first: URL; request: FetchRequest; signal: AbortSignal },
) => Promise<Hop<Omit<FetchedResponse, 'redirects'>>>;

/** Sent to every host of a redirect chain; all else that a caller gives goes to the first host only. */
const GENERAL = new Set(['accept', 'accept-language', 'user-agent']);
/** Framing, which is not for callers, and credentials, which have a field of their own or none. */
const FORBIDDEN =
  /^(?:host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer|expect|accept-encoding|cookie|authorization|proxy-.*)$/;
const WITHOUT_BODY = new Set([204, 304]);

/** A body that nobody reads is taken in to its end, for the sake of the connection, when it is this small and fast. */
const UNREAD_BYTES_MAX = 4_096;
const UNREAD_MS_MAX = 100;

/** `defaults`: the headers that are sent unless the caller gives them. With `staysOnOrigin` no redirect leaves the first origin. */
export function createVisit(parts: {
  turns: Turns;
  exchange: Exchange;
  checkUrl: CheckUrl;
  staysOnOrigin: boolean;
  defaults: Record<string, string>;
}): Visit {
  return async (url, { first, request, signal }) => {
    const release = await parts.turns.take(url.hostname, { tenant: request.tenant, signal });
    try {
      const headers = { ...parts.defaults, ...headersFor(url, first, request) };
      const answer = await parts.exchange(url, { headers, signal });
      if (isRedirect(answer)) {
        await leaveBody(answer);
        const judge = parts.staysOnOrigin ? withinOrigin(first, parts.checkUrl) : parts.checkUrl;
        return { next: redirectTarget(answer, url, judge), headers: answer.headers };
      }
      const body = await bodyOf(answer, { bytesMax: request.bytesMax ?? PAGE_BYTES_MAX, signal });
      return { final: { url: url.href, status: answer.status, headers: answer.headers, body } };
    } finally {
      release();
    }
  };
}

function withinOrigin(first: URL, checkUrl: CheckUrl): CheckUrl {
  return (text) => {
    const url = checkUrl(text);
    if (url.origin !== first.origin) throw notAllowed('it lies on another origin');
    return url;
  };
}

function headersFor(url: URL, first: URL, request: FetchRequest): Record<string, string> {
  const headers = Object.entries(request.headers ?? {});
  for (const [name] of headers) assert.doesNotMatch(name, FORBIDDEN, 'not a header for callers of a fetch');
  const sent = headers.filter(([name]) => url.hostname === first.hostname || GENERAL.has(name));
  const { authorization } = request;
  return {
    ...Object.fromEntries(sent),
    ...(authorization !== undefined && url.origin === first.origin ? { authorization } : {}),
    'accept-encoding': ACCEPT_ENCODING,
  };
}

async function bodyOf(
  answer: ExchangeResponse,
  bounds: { bytesMax: number; signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  if (!WITHOUT_BODY.has(answer.status)) return readBody(answer, bounds);
  await leaveBody(answer);
  return new Uint8Array(0);
}

/** Waits for the end only as long as a healthy server needs: one that lets such a body drip holds up nobody. */
async function leaveBody({ status, headers, body }: ExchangeResponse): Promise<void> {
  body.on('error', () => {});
  const isSmall = Number(headers['content-length'] ?? Number.NaN) <= UNREAD_BYTES_MAX;
  if (!isSmall && !WITHOUT_BODY.has(status)) {
    body.destroy();
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => body.destroy(), UNREAD_MS_MAX);
    body.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    body.resume();
  });
}
