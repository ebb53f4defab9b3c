import { isIP } from 'node:net';

/**
 * Whose request it is: the socket's address, or, behind `hops` trusted proxies, what the outermost of them wrote into
 * `X-Forwarded-For`. Each proxy appends the address that it was called from, so the entries further left are the caller's
 * own claims and count for nothing. With fewer entries than proxies the leftmost stands; what is no address is passed over.
 */
export function callerAddress(request: {
  socketAddress: string;
  forwardedFor: string | string[] | undefined;
  hops: number;
}): string {
  const { socketAddress, forwardedFor, hops } = request;
  const claimed = [forwardedFor ?? []].flat().join(',').split(',').map(bareAddress);
  const trusted = claimed.slice(Math.max(0, claimed.length - hops)).filter((address) => isIP(address) !== 0);
  return hops === 0 ? socketAddress : (trusted[0] ?? socketAddress);
}

/** `203.0.113.9:4711`, `[2001:db8::1]:4711`, `"203.0.113.9"` -> the address alone. */
function bareAddress(text: string): string {
  const bare = text.trim().replace(/^"|"$/g, '');
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1];
  return bracketed ?? bare.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/, '$1');
}
