import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns whether a rule covers a host, which is a name or an address without brackets, at a port. */
export type HostRule = (host: string, port: number) => boolean;

const WITH_PORT = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]]{1,253}):(\d{1,5})$/i;

/**
 * Parses a rule as NO_PROXY has them: `*`, `example.org` (with everything below it), `.example.org` or `*.example.org` (only what is
 * below it), an address, or a range such as 10.0.0.0/8, which covers addresses that are written as such; each with a port if one is
 * named. Returns null for any other text.
 */
export function parseHostRule(text: string): HostRule | null {
  const [, before, digits] = WITH_PORT.exec(text) ?? [];
  const covers = parseHosts((before ?? text).replace(/^\[|\]$/g, '').toLowerCase());
  if (covers === null) return null;
  if (digits === undefined) return covers;
  const wanted = Number(digits);
  return (host, port) => port === wanted && covers(host);
}

function parseHosts(hosts: string): ((host: string) => boolean) | null {
  if (hosts === '*') return () => true;
  if (isIP(hosts) !== 0) {
    const wanted = normalizeAddress(hosts);
    return (host) => isIP(host) !== 0 && normalizeAddress(host) === wanted;
  }
  if (ipaddr.isValidCIDR(hosts)) return createRangeRule(hosts);
  const [, isBelow, name] = /^(\*?\.)?([a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,100})$/.exec(hosts) ?? [];
  if (name === undefined) return null;
  return (host) => {
    const lowerCase = host.toLowerCase();
    return (isBelow === undefined && lowerCase === name) || lowerCase.endsWith(`.${name}`);
  };
}

function createRangeRule(cidr: string): (host: string) => boolean {
  const [base, bits] = ipaddr.parseCIDR(cidr);
  return (host) => {
    if (isIP(host) === 0) return false;
    const address = ipaddr.process(host);
    return address.kind() === base.kind() && address.match(base, bits);
  };
}

const normalizeAddress = (address: string): string => ipaddr.process(address).toNormalizedString();

/** Returns whether a host is this machine, or a name without a dot, which only the local network knows. */
export function isLocalHost(host: string): boolean {
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'loopback';
  return !host.includes('.') || host.endsWith('.localhost');
}
