import ipaddr from 'ipaddr.js';

/** Addresses with the same prefix of this many bits count as one caller: for free requests, and for free keys. */
const ALLOWANCE_BITS = { ipv4: 32, ipv6: 64 };
const FREE_KEY_BITS = { ipv4: 24, ipv6: 48 };

/** `203.0.113.9` -> itself; `2001:db8::1` -> `2001:db8::/64`. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function toAllowanceAddress(address: string): string {
  return computeNetwork(address, ALLOWANCE_BITS);
}

/** `203.0.113.9` -> `203.0.113.0/24`; `2001:db8::1` -> `2001:db8::/48`. */
export function toFreeKeyNetwork(address: string): string {
  return computeNetwork(address, FREE_KEY_BITS);
}

/** Returns a predicate that tells whether an address lies in one of the networks (CIDRs). */
export function createNetworkMatcher(cidrs: readonly string[]): (address: string) => boolean {
  const ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (text) => {
    const bare = stripZone(text);
    if (ranges.length === 0 || !ipaddr.isValid(bare)) return false;
    const address = ipaddr.process(bare);
    return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
}

function computeNetwork(text: string, bits: { ipv4: number; ipv6: number }): string {
  const address = ipaddr.process(stripZone(text));
  if (address.kind() === 'ipv4' && bits.ipv4 === 32) return address.toString();
  const length = address.kind() === 'ipv4' ? bits.ipv4 : bits.ipv6;
  const bytes = address.toByteArray().map((byte, index) => byte & computeByteMask(length - index * 8));
  return `${ipaddr.fromByteArray(bytes).toString()}/${length}`;
}

/** Removes the zone of a link-local address: a percent sign and what follows. */
function stripZone(text: string): string {
  return text.replace(/%.*$/s, '');
}

/** Returns the mask of a byte whose first `bits` bits belong to the network. */
function computeByteMask(bits: number): number {
  return 0xff & (0xff << (8 - Math.min(8, Math.max(0, bits))));
}
