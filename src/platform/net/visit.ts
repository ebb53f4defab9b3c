import assert from 'node:assert/strict';
import { PAGE_BYTES_MAX } from '../../contract/limits.ts';
import type { Exchange, ExchangeResponse } from './exchange.ts';
import type { CheckUrl, FetchedResponse, FetchRequest } from './fetch-types.ts';
import { createNotAllowedError } from './network.ts';
import { ACCEPT_ENCODING, readBody } from './read-body.ts';
import { type Hop, isRedirect, resolveRedirect } from './redirects.ts';
import type { Turns } from './turns.ts';

/** Performs one hop of a fetch that began at `first`: waits for a turn with the host, sends the request, reads the final body. */
type Visit = (
  url: URL,
  context: { first: URL; request: FetchRequest; signal: AbortSignal },
) => Promise<Hop<Omit<FetchedResponse, 'redirects'>>>;

/** Headers sent to every host of a redirect chain; a caller's other headers are sent only to the first host. */
const GENERAL = new Set(['accept', 'accept-language', 'user-agent']);
const FRAMING =
  /^(?:host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer|expect|accept-encoding|proxy-.*)$/;
/** Headers that only `authorization` and `ownHeaders` may set. */
const CREDENTIALS = /^(?:cookie|authorization)$/;

/** Returns whether a header frames messages or belongs to the connection, so that no caller may set it. */
export const isFraming = (name: string): boolean => FRAMING.test(name);
const WITHOUT_BODY = new Set([204, 304]);

/** Maximum size and time of an unused body that is read to its end, so that the connection can be reused. */
const UNREAD_BYTES_MAX = 4_096;
const UNREAD_MS_MAX = 100;

/** `defaults` are headers that callers can override. With `staysOnOrigin` no redirect leaves the first origin. */
export function createVisit(deps: {
  turns: Turns;
  exchange: Exchange;
  checkUrl: CheckUrl;
  staysOnOrigin: boolean;
  defaults: Record<string, string>;
}): Visit {
  return async (url, { first, request, signal }) => {
    const release = await deps.turns.take(url.hostname, { tenant: request.tenant, signal });
    try {
      const headers = { ...deps.defaults, ...buildHeaders(url, first, request) };
      const answer = await deps.exchange(url, { headers, body: request.body, signal });
      if (request.body === undefined && isRedirect(answer)) {
        await discardBody(answer);
        const judge = deps.staysOnOrigin ? restrictToOrigin(first, deps.checkUrl) : deps.checkUrl;
        return { next: resolveRedirect(answer, url, judge), headers: answer.headers };
      }
      const body = await readFinalBody(answer, { bytesMax: request.bytesMax ?? PAGE_BYTES_MAX, signal });
      return { final: { url: url.href, status: answer.status, headers: answer.headers, body } };
    } finally {
      release();
    }
  };
}

function restrictToOrigin(first: URL, checkUrl: CheckUrl): CheckUrl {
  return (text) => {
    const url = checkUrl(text);
    if (url.origin !== first.origin) throw createNotAllowedError('it is on another origin');
    return url;
  };
}

function buildHeaders(url: URL, first: URL, request: FetchRequest): Record<string, string> {
  const headers = Object.entries(request.headers ?? {});
  const { authorization, ownHeaders = {} } = request;
  for (const name of [...Object.keys(ownHeaders), ...headers.map(([name]) => name)])
    assert(!isFraming(name), 'callers of a fetch may not set this header');
  for (const [name] of headers)
    assert.doesNotMatch(name, CREDENTIALS, 'callers of a fetch may not set this header');
  const sent = headers.filter(([name]) => url.hostname === first.hostname || GENERAL.has(name));
  const isOrigin = url.origin === first.origin;
  return {
    ...Object.fromEntries(sent),
    ...(isOrigin ? ownHeaders : {}),
    ...(authorization !== undefined && isOrigin ? { authorization } : {}),
    'accept-encoding': ACCEPT_ENCODING,
  };
}

async function readFinalBody(
  answer: ExchangeResponse,
  bounds: { bytesMax: number; signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  if (!WITHOUT_BODY.has(answer.status)) return readBody(answer, bounds);
  await discardBody(answer);
  return new Uint8Array(0);
}

/** Discards a body. Waits for its end only as long as a healthy server needs, so that a slow body delays nothing. */
async function discardBody({ status, headers, body }: ExchangeResponse): Promise<void> {
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
