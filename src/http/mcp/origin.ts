import ipaddr from 'ipaddr.js';

/** What tells whether a browser was tricked into the call. */
type Asked = { origin: string | undefined; host: string | undefined };

/**
 * Whether a call may come from where it says. Only browsers send an origin, and only a browser can be tricked by a name that
 * points elsewhere (DNS rebinding). Asked by the name that the operator made public, any page may call: keys travel in headers
 * and never by themselves. Otherwise only pages of this machine and of the service itself.
 */
export function isOriginAllowed({ origin, host }: Asked, publicUrls: readonly string[]): boolean {
  if (origin === undefined) return true;
  const publicHosts = publicUrls.map(hostOf).filter((own) => own !== null && !isLoopback(own));
  const from = hostOf(origin);
  const to = hostOf(`http://${host ?? ''}`);
  if (to !== null && publicHosts.includes(to)) return true;
  return from !== null && (isLoopback(from) || publicHosts.includes(from));
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() || null : null;
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}
