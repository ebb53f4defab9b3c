import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../contract/errors.ts';

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
