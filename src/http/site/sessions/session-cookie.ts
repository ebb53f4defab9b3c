import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../../contract/errors.ts';

/** A cookie that holds the id of a session, which only this service can read. */
export type SessionCookie = {
  name: string;
  /** Below it browsers send the cookie. */
  path: string;
  /** Whether the browser reached the service over TLS. */
  isSecure(headers: IncomingHttpHeaders): boolean;
};

/** The hidden field of a form that holds the token of its session. */
export const CSRF_FIELD = 'csrf';
const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;
/** A request may bring several cookies of one name: those of other paths, or ones that another host of the domain set. */
const COOKIES_MAX = 5;

/** A new session id, which only the browser keeps. */
export function createSessionId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

/** What the service keeps instead of the id. */
export function hashSessionId(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** The token that every form of a session holds, because browsers send the cookie by themselves. It does not reveal the id. */
export function deriveCsrf(id: string): string {
  return hashSessionId(`csrf ${id}`);
}

/** Throws `Failure('forbidden')` unless a posted form holds the token of the session. */
export function checkCsrf(form: URLSearchParams, { csrf }: { csrf: string }): void {
  // Digests have one length and hide where two texts differ.
  const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  if (timingSafeEqual(computeDigest(form.get(CSRF_FIELD) ?? ''), computeDigest(csrf))) return;
  throw new Failure(
    'forbidden',
    'This form is from another session or too old. Go back, reload the page and send the form again.',
  );
}

/** The line of `Set-Cookie` that gives a browser the id for `ms` milliseconds; 0 removes the cookie. */
export function formatSessionCookie(
  { name, path, isSecure }: SessionCookie,
  { headers, id, ms }: { headers: IncomingHttpHeaders; id: string; ms: number },
): string {
  const parts = [`${name}=${id}`, `Path=${path}`, `Max-Age=${Math.floor(ms / 1_000)}`, 'HttpOnly'];
  return [...parts, 'SameSite=Strict', ...(isSecure(headers) ? ['Secure'] : [])].join('; ');
}

/** The ids of sessions that a request brings, as far as they look like ids. */
export function readSessionIds({ cookie = '' }: IncomingHttpHeaders, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((id) => ID.test(id))
    .slice(0, COOKIES_MAX);
}

/** Whether a browser reached the service over TLS: at a public address that says so, or by what a proxy in front reports. */
export function isReachedOverTls(headers: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (headers['x-forwarded-proto'] === 'https') return true;
  const host = headers.host?.toLowerCase();
  return publicUrls.some((url) => url.startsWith('https:') && URL.parse(url)?.host === host);
}
