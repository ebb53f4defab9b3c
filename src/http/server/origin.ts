import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Names that no public name server answers for, so that nobody can point them at another machine. */
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.lan', '.home.arpa'];

/**
 * Whether a request may come from the page that sent it. Only browsers name an origin. Asked by the name that the operator
 * made public, any page may call: keys travel in headers that a page must know, and never by themselves. Otherwise only pages
 * of this machine, of the service's public address and of the address that was asked.
 */
export function isOriginAllowed(headers: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  const { origin, host } = headers;
  const publicHosts = publicHostsOf(publicUrls);
  const asked = hostOf(`http://${host ?? ''}`);
  if (asked !== null && publicHosts.includes(asked)) return true;
  if (origin === undefined) return !isEmbedded(headers);
  const from = hostOf(origin);
  if (from === null) return false;
  const isOwn = !isPublicName(from) && URL.parse(origin)?.host === host?.toLowerCase();
  return isOwn || isLoopback(from) || publicHosts.includes(from);
}

/**
 * Whether a request asked for a name that is known to stand for this server. Any public name may be pointed at it by its owner
 * (DNS rebinding), and the pages of that name would then be of its own origin; addresses and local names cannot be.
 */
export function isHostAllowed({ host }: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (host === undefined) return true;
  const asked = hostOf(`http://${host}`);
  return asked !== null && (!isPublicName(asked) || publicHostsOf(publicUrls).includes(asked));
}

/** Whether an address is one of this machine alone. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}

/** A browser names no origin for images, scripts and the like of another site, but says so; a link that a person follows is fine. */
function isEmbedded(headers: IncomingHttpHeaders): boolean {
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return headers['sec-fetch-site'] === 'cross-site' && !isLink;
}

function publicHostsOf(publicUrls: readonly string[]): string[] {
  return publicUrls.flatMap((url) => hostOf(url) ?? []).filter((host) => !isLoopback(host));
}

function isPublicName(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return (
    !ipaddr.isValid(bare) && bare.includes('.') && !LOCAL_SUFFIXES.some((suffix) => bare.endsWith(suffix))
  );
}

function hostOf(url: string): string | null {
  return URL.parse(url)?.hostname.toLowerCase() || null;
}
