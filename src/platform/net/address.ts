import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Decides which addresses this process may connect to. */
export type AddressPolicy = {
  /** True if the operator allowed any private range; names of the local network are then checked by address alone. */
  readonly allowsPrivate: boolean;
  /** True if every address is permitted, as for the operator's own services. */
  readonly permitsAll: boolean;
  /** Returns whether `ip`, in the usual text form without brackets, is permitted; other forms are not. */
  permits(ip: string): boolean;
};

/**
 * The IPv4 ranges of the IANA special-purpose registry, multicast and reserved space, relay ranges, and the one public address
 * that a cloud uses for its host agent (168.63.129.16).
 */
const DENIED_IPV4 = parseRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** The only IPv6 space that is assigned for the public network (RFC 4291); embedded IPv4, except 6to4, lies outside. */
const GLOBAL_IPV6 = parseRange('2000::/3');

/** Protocol assignments (Teredo, ORCHID, benchmarking), documentation, 6to4, AS112. */
const DENIED_IPV6 = parseRanges([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

/** RFC 6052: the last 32 bits are the IPv4 address that a gateway connects to. */
const NAT64 = parseRange('64:ff9b::/96');

/** Returns whether `ip` is on the public network. An IPv4-mapped address counts as its IPv4 address; one with a zone never passes. */
export function isPublicAddress(ip: string): boolean {
  const address = parse(ip);
  return address !== null && isPublic(address);
}

/**
 * Creates the operator's policy: public addresses except the machine's own, and the CIDRs in `allowPrivate`. If a NAT64 prefix is
 * allowed, the embedded IPv4 address is checked as well. Throws RangeError for an invalid CIDR.
 */
export function createAddressPolicy(options: {
  allowPrivate: readonly string[];
  ownAddresses: () => readonly string[];
}): AddressPolicy {
  const allowed = parseRanges(options.allowPrivate);
  const isOwn = (address: Address): boolean =>
    options.ownAddresses().some((own) => parse(own)?.toNormalizedString() === address.toNormalizedString());
  const permits = (address: Address): boolean => {
    if (!allowed.some((one) => contains(one, address))) return isPublic(address) && !isOwn(address);
    return contains(NAT64, address) ? permits(extractIpv4(address)) : true;
  };
  return {
    allowsPrivate: allowed.length > 0,
    permitsAll: ['ipv4', 'ipv6'].every((kind) =>
      allowed.some(([base, bits]) => bits === 0 && base.kind() === kind),
    ),
    permits: (ip) => {
      const address = parse(ip);
      return address !== null && permits(address);
    },
  };
}

/** Returns null unless `ip` is exactly an address: the parser alone would also accept octal, short and zoned forms. */
function parse(ip: string): Address | null {
  if (isIP(ip) === 0 || ip.includes('%')) return null;
  const address = ipaddr.parse(ip);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !DENIED_IPV4.some((one) => contains(one, address));
  return contains(GLOBAL_IPV6, address) && !DENIED_IPV6.some((one) => contains(one, address));
}

function contains([base, bits]: Range, address: Address): boolean {
  if (base instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(base, bits);
  return address instanceof ipaddr.IPv6 && address.match(base, bits);
}

function extractIpv4(address: Address): Address {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function parseRanges(cidrs: readonly string[]): Range[] {
  return cidrs.map(parseRange);
}

function parseRange(cidr: string): Range {
  try {
    const [base, bits] = ipaddr.parseCIDR(cidr);
    if (isIP(cidr.split('/')[0] ?? '') === 0) throw new RangeError('short form');
    return [base, bits];
  } catch (cause) {
    throw new RangeError(`${cidr} is not an address range such as 10.0.0.0/8`, { cause });
  }
}
