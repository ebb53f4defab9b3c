import type { IncomingHttpHeaders } from 'node:http';
import { type Exposure, isLoopback, isPublicName } from '../../platform/net/exposure.ts';

type PageRule = Pick<Exposure, 'publicUrls' | 'allowedOrigins' | 'openTo'>;

/**
 * Returns true if the page that sent a request may call this server. Only browsers send an origin. On the operator's public hosts any page
 * may call, unless the server could do for it what it cannot do itself: keys travel only in headers that the page sets, never
 * automatically. Otherwise only pages from this machine, from the public URLs, from the allowed origins and from the requested host may
 * call.
 */
export function isOriginAllowed(headers: IncomingHttpHeaders, rule: PageRule): boolean {
  const { origin, host } = headers;
  const publicHosts = listPublicHosts(rule.publicUrls);
  const requested = parseHost(`http://${host ?? ''}`);
  if (rule.openTo !== 'no host' && requested !== null && publicHosts.includes(requested)) return true;
  if (origin === undefined) return !isEmbedded(headers);
  if (rule.allowedOrigins.includes(origin)) return true;
  const from = parseHost(origin);
  if (from === null) return false;
  const isOwn = !isPublicName(from) && URL.parse(origin)?.host === host?.toLowerCase();
  return isOwn || isLoopback(from) || publicHosts.includes(from);
}

/**
 * Returns true if the request's host is known to belong to this server. The owner of any public name can point it here (DNS rebinding),
 * which makes that name's pages same-origin; that is impossible with IP addresses and local names.
 */
export function isHostAllowed({ host }: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (host === undefined) return true;
  const requested = parseHost(`http://${host}`);
  return requested !== null && (!isPublicName(requested) || listPublicHosts(publicUrls).includes(requested));
}

/** Browsers send no origin for cross-site images, scripts and the like, only `Sec-Fetch-Site`; following a link is allowed. */
function isEmbedded(headers: IncomingHttpHeaders): boolean {
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return headers['sec-fetch-site'] === 'cross-site' && !isLink;
}

function listPublicHosts(publicUrls: readonly string[]): string[] {
  return publicUrls.flatMap((url) => parseHost(url) ?? []).filter((host) => !isLoopback(host));
}

function parseHost(url: string): string | null {
  return URL.parse(url)?.hostname.toLowerCase() || null;
}
