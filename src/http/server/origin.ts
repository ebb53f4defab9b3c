import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Suffixes that public DNS never resolves, so that nobody can point them at another machine. */
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.lan', '.home.arpa'];

/**
 * Whether the page that sent a request may call this server. Only browsers send an origin. On the operator's public host any
 * page may call: keys travel only in headers that the page itself sets, never automatically. Otherwise only pages from this
 * machine, from the service's public address and from the requested address may call.
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
 * Whether the request's host is known to belong to this server. The owner of any public name can point it here (DNS
 * rebinding), which makes that name's pages same-origin; that is impossible with addresses and local names.
 */
export function isHostAllowed({ host }: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (host === undefined) return true;
  const asked = hostOf(`http://${host}`);
  return asked !== null && (!isPublicName(asked) || publicHostsOf(publicUrls).includes(asked));
}

/**
 * Whether only this machine is meant to reach the server, or the server may read private addresses. In a container it listens on
 * all addresses; then its public address tells.
 */
export function isLocalServer(server: {
  listensOnLoopback: boolean;
  baseUrl: string | null;
  fetchAllowPrivate: readonly string[];
}): boolean {
  const publicHost = hostOf(server.baseUrl ?? '');
  const isForThisMachine = server.listensOnLoopback || (publicHost !== null && isLoopback(publicHost));
  return isForThisMachine || server.fetchAllowPrivate.length > 0;
}

/** Whether a host is a loopback address or name. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}

/** For cross-site images, scripts and the like browsers send no origin, only `Sec-Fetch-Site`; following a link is fine. */
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
