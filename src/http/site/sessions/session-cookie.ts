import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../../contract/errors.ts';

/** A cookie with the id of a session, which only this service can read. */
export type SessionCookie = {
  name: string;
  /** The path below which browsers send the cookie. */
  path: string;
  /** Returns true if the browser reached the service over TLS. */
  isSecure(headers: IncomingHttpHeaders): boolean;
};

/** The hidden field of a form with the CSRF token of its session. */
export const CSRF_FIELD = 'csrf';
const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;
/** Maximum cookies of one name that are read. A request may bring those of other paths, or ones set by another host of the domain. */
const COOKIES_MAX = 5;

/** Creates a session id, which only the browser keeps. */
export function createSessionId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

/** Returns the hash that the service stores instead of the id. */
export function hashSessionId(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Derives the token that every form of a session contains, because browsers send the cookie automatically. It does not reveal the id. */
export function deriveCsrf(id: string): string {
  return hashSessionId(`csrf ${id}`);
}

/** Throws `Failure('forbidden')` unless a posted form contains the token of the session. */
export function checkCsrf(form: URLSearchParams, { csrf }: { csrf: string }): void {
  // Digests have equal length and hide where two texts differ.
  const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  if (timingSafeEqual(computeDigest(form.get(CSRF_FIELD) ?? ''), computeDigest(csrf))) return;
  throw new Failure(
    'forbidden',
    'This form is from another session or too old. Go back, reload the page and send the form again.',
  );
}

/** Formats the value of `Set-Cookie` that gives a browser the id for `ms` milliseconds; 0 removes the cookie. */
export function formatSessionCookie(
  { name, path, isSecure }: SessionCookie,
  { headers, id, ms }: { headers: IncomingHttpHeaders; id: string; ms: number },
): string {
  const parts = [`${name}=${id}`, `Path=${path}`, `Max-Age=${Math.floor(ms / 1_000)}`, 'HttpOnly'];
  return [...parts, 'SameSite=Strict', ...(isSecure(headers) ? ['Secure'] : [])].join('; ');
}

/** Reads the session ids of a request; malformed ones are left out. */
export function readSessionIds({ cookie = '' }: IncomingHttpHeaders, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((id) => ID.test(id))
    .slice(0, COOKIES_MAX);
}

/** Returns true if a browser reached the service over TLS: at a public https address, or as a proxy in front reports. */
export function isReachedOverTls(headers: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (headers['x-forwarded-proto'] === 'https') return true;
  const host = headers.host?.toLowerCase();
  return publicUrls.some((url) => url.startsWith('https:') && URL.parse(url)?.host === host);
}
