import { isIP } from 'node:net';
import { Failure } from '../../contract/errors.ts';
import type { AddressPolicy } from './address.ts';

/** The "bad ports" of the fetch standard (https://fetch.spec.whatwg.org/#port-blocking): mail, shells, chat, printers. */
const BAD_PORTS = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
  135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995
  1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(
    /\s+/,
  ),
);

/** Names that are never on the public network. `example` is not listed: it fails as a name that does not exist. */
const LOCAL_SUFFIXES = new Set(
  `localhost local internal intranet lan home corp localdomain home.arpa onion test invalid alt in-addr.arpa
  ip6.arpa`.split(/\s+/),
);

/**
 * Checks an address by its text alone, before any name lookup, and parses it. Nothing downstream parses it again, so nothing
 * can read another host from the same text. One trailing dot of the host is dropped.
 * Throws `Failure('url_not_allowed')`.
 */
export function judgeUrl(text: string, policy: AddressPolicy): URL {
  const url = parseUrl(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw createNotAllowedError('only http and https are read');
  if (url.username !== '' || url.password !== '')
    throw createNotAllowedError('it contains a user name or password');
  if (BAD_PORTS.has(url.port)) throw createNotAllowedError(`port ${url.port} is not for web pages`);
  dropTrailingDot(url);
  judgeHost(extractHost(url), policy);
  return url;
}

/** Returns the host of a URL as a name, or as an address without brackets. */
function extractHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Creates a `url_not_allowed` as callers see it; `why` must never contain a resolved address. */
export function createNotAllowedError(why: string, details: { afterLookup?: boolean } = {}): Failure {
  const fetch = { reason: 'not_allowed', httpStatus: null } as const;
  return new Failure(
    'url_not_allowed',
    `the URL is not allowed: ${why}`,
    details.afterLookup ? { fetch } : {},
  );
}

function parseUrl(text: string): URL {
  if (hasControlOrSpace(text)) throw createNotAllowedError('it contains a space or a control character');
  const url = URL.parse(text);
  if (url === null) throw createNotAllowedError('it is not an absolute http or https address');
  return url;
}

/** The parser would silently remove or encode these characters, so the parsed address would differ from the written one. */
function hasControlOrSpace(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f) return true;
  }
  return false;
}

function dropTrailingDot(url: URL): void {
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
}

function judgeHost(host: string, policy: AddressPolicy): void {
  if (isIP(host) !== 0) {
    if (!policy.permits(host)) throw createNotAllowedError('its address is not on the public network');
    return;
  }
  const labels = host.split('.');
  if (labels.includes('')) throw createNotAllowedError('its host name has an empty part');
  if (policy.allowsPrivate) return;
  if (labels.length < 2) throw createNotAllowedError('its host is a name of a local network');
  const isLocal =
    LOCAL_SUFFIXES.has(labels.slice(-1).join('.')) || LOCAL_SUFFIXES.has(labels.slice(-2).join('.'));
  if (isLocal) throw createNotAllowedError('its host is a name of a local network');
}
