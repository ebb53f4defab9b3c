import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../contract/errors.ts';
import { readAuthorizationToken } from './caller.ts';

/**
 * Admits the operator: a request from this machine, or one with the token. A proxied request counts as remote even if the
 * proxy runs on this machine. Throws `Failure('forbidden')`.
 */
export function assertOperator(request: {
  headers: IncomingHttpHeaders;
  address: string;
  token: string | null;
}): void {
  const { headers, address, token } = request;
  const sent = readAuthorizationToken(headers) ?? '';
  if (token !== null && isSameSecret(sent, token)) return;
  if (isFromThisMachine({ headers, address })) return;
  throw new Failure(
    'forbidden',
    'Only the operator may call this: call it from the same machine, or send METRICS_TOKEN as a bearer token.',
  );
}

/** Admits only requests with the token, from this machine too. Throws `Failure('forbidden')`. */
export function assertAdmin({
  headers,
  token,
}: {
  headers: IncomingHttpHeaders;
  token: string | null;
}): void {
  if (token === null)
    throw new Failure('forbidden', 'This call is turned off; the operator turns it on with ADMIN_TOKEN.');
  if (!isSameSecret(readAuthorizationToken(headers) ?? '', token))
    throw new Failure('forbidden', 'Send ADMIN_TOKEN as a bearer token.');
}

/** Returns true if a program on the server's own machine sent the request; a proxied request counts as remote. */
export function isFromThisMachine({
  headers,
  address,
}: {
  headers: IncomingHttpHeaders;
  address: string;
}): boolean {
  return isLoopback(address) && !PASSED_ON.some((name) => headers[name] !== undefined);
}

const PASSED_ON = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

const isLoopback = (address: string): boolean => /^(?:127\.|::1$|::ffff:127\.)/.test(address);

/** Compares in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  const hashText = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hashText(left), hashText(right));
}

/**
 * Refuses cross-site requests that a page of another site makes its visitor's browser send (CSRF): a sign-in to somebody else's account, or
 * a claim of the one free key of the visitor's network. Programs send neither header and pass. Throws `Failure('forbidden')`.
 */
export function assertOwnPage(headers: IncomingHttpHeaders, publicUrls: readonly string[]): void {
  const site = headers['sec-fetch-site'];
  const isForeign =
    site === undefined ? !isOwnOrigin(headers, publicUrls) : site !== 'same-origin' && site !== 'none';
  if (isForeign) throw new Failure('forbidden', 'This request came from a page of another site.');
}

/** Older browsers, and browsers on plain HTTP, send only the origin. */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (origin === undefined) return true;
  const from = URL.parse(origin)?.host;
  return (
    from !== undefined &&
    (from === host?.toLowerCase() || publicUrls.some((url) => URL.parse(url)?.host === from))
  );
}
