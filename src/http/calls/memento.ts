import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../contract/errors.ts';
import type { PageVersion } from '../../versions/versions.ts';
import { parseHttpDate } from './instant.ts';

/*
 * The roles of RFC 7089: the page is the original resource, `/r/{url}` its TimeGate, `/r/{url}?at=` a memento, and `/v1/versions` with
 * `format=link` the TimeMap.
 */

/** Media type of a TimeMap (RFC 6690). */
export const LINK_FORMAT = 'application/link-format';

type Address = { base: string; url: string };

const buildGateUrl = ({ base, url }: Address): string => `${base}/r/${encodeURIComponent(url)}`;
const buildMapUrl = ({ base, url }: Address): string =>
  `${base}/v1/versions?url=${encodeURIComponent(url)}&format=link`;
/** Returns the address of the version that was first seen at an instant. */
export const buildMementoUrl = (page: Address, at: number): string =>
  `${buildGateUrl(page)}?at=${new Date(at).toISOString()}`;
const formatHttpDate = (at: number): string => new Date(at).toUTCString();

/** Reads `Accept-Datetime`; null if it was not sent. Throws `Failure('bad_request')` if it is no date, as RFC 7089 (4.5.3) says. */
export function readAcceptDatetime(headers: IncomingHttpHeaders): number | null {
  const text = headers['accept-datetime'];
  if (text === undefined) return null;
  const at = parseHttpDate(String(text).trim());
  if (at !== null) return at;
  throw new Failure('bad_request', 'Accept-Datetime must be a date such as "Sat, 28 Nov 2026 10:20:30 GMT".');
}

/** Builds the headers of a page whose versions are kept: where they are listed, and which one the answer is. */
export function buildMementoHeaders(page: Address, version: { at: number } | null): Record<string, string> {
  const links = [
    `<${new URL(page.url).href}>; rel="original"`,
    `<${buildGateUrl(page)}>; rel="timegate"`,
    `<${buildMapUrl(page)}>; rel="timemap"; type="${LINK_FORMAT}"`,
  ];
  if (version === null) return { Link: links.join(', '), Vary: 'accept-datetime' };
  const memento = `<${buildMementoUrl(page, version.at)}>; rel="memento"; datetime="${formatHttpDate(version.at)}"`;
  return {
    Link: [...links, memento].join(', '),
    Vary: 'accept-datetime',
    'Memento-Datetime': formatHttpDate(version.at),
    'Content-Location': buildMementoUrl(page, version.at),
  };
}

/** Writes the TimeMap of a page; `versions`: the newest first. */
export function writeTimeMap(page: Address, versions: readonly PageVersion[]): string {
  const present = versions.filter(({ status }) => status === 'present').toReversed();
  const [first, last] = [present[0], present.at(-1)];
  const span =
    first === undefined || last === undefined
      ? ''
      : `; from="${formatHttpDate(first.firstSeenAt)}"; until="${formatHttpDate(last.firstSeenAt)}"`;
  const mementos = present.map((version) => {
    const roles = [...(version === first ? ['first'] : []), ...(version === last ? ['last'] : []), 'memento'];
    const at = version.firstSeenAt;
    return `<${buildMementoUrl(page, at)}>; rel="${roles.join(' ')}"; datetime="${formatHttpDate(at)}"`;
  });
  return `${[
    `<${new URL(page.url).href}>; rel="original"`,
    `<${buildMapUrl(page)}>; rel="self"; type="${LINK_FORMAT}"${span}`,
    `<${buildGateUrl(page)}>; rel="timegate"`,
    ...mementos,
  ].join(',\n')}\n`;
}
