/** Names of released versions, the one that a site recommends first. */
const RELEASED = ['stable', 'current', 'latest'];
/** Names of unreleased versions. */
const UNRELEASED = /^(?:dev|devel|development|main|master|next|nightly|trunk)$/i;
const NAMED = new RegExp(`^(?:${RELEASED.join('|')})$`, 'i');
/** Matches `15`, `v3.2`, `2024.1`, `1.4.x`, `release-2.0`, `4.0-rc1`; a year alone is not a version. */
const NUMBERED =
  /^(?:v|version-|release-)?(\d{1,3}(?:\.\d{1,5}){0,3}|\d{4}\.\d{1,5})(?:\.x)?(-?(?:alpha|beta|rc|pre|dev)[.-]?\d{0,3})?$/i;
/** Version numbers in a query. */
const NUMBERS = /(?<![\w.])v?\d{1,4}(?:\.\d{1,5}){0,3}(?![\w.]*\w)/gi;

/** A bare number at the end of a path identifies a page, as in `/questions/7`, not a version. */
const BARE_NUMBER = /^\d+$/;

const isVersion = (part: string, place: number, parts: readonly string[]): boolean =>
  NAMED.test(part) ||
  UNRELEASED.test(part) ||
  (NUMBERED.test(part) && !(place === parts.length - 1 && BARE_NUMBER.test(part)));

/** The versions of two pages whose addresses differ in nothing else. */
type VersionPair = { one: string; other: string };

/** The parts of an address, parsed once for several comparisons; null for an invalid address. */
export type UrlParts = { host: string; search: string; parts: readonly string[] } | null;

export function parseUrlParts(url: string): UrlParts {
  const address = URL.parse(url);
  if (address === null) return null;
  return { host: address.host, search: address.search, parts: address.pathname.split('/') };
}

/** Returns the versions of two addresses whose paths differ in that one part only; null if they differ otherwise. */
export function findVersionPair(left: UrlParts, right: UrlParts): VersionPair | null {
  if (left === null || right === null || left.host !== right.host || left.search !== right.search)
    return null;
  const [parts, others] = [left.parts, right.parts];
  if (parts.length !== others.length) return null;
  const place = parts.findIndex((part, at) => part !== others[at]);
  if (place === -1 || parts.some((part, at) => at > place && part !== others[at])) return null;
  const pair = { one: parts[place] ?? '', other: others[place] ?? '' };
  return isVersion(pair.one, place, parts) && isVersion(pair.other, place, others) ? pair : null;
}

/** True when some part of the path names a version. */
export const containsVersion = (address: UrlParts): boolean => address?.parts.some(isVersion) ?? false;

/**
 * True when the first of two versions should rank first for a query: the version that the query names wins, else the newest
 * released one. `stable`, `current` and `latest` are newer than any number.
 */
export function isPreferredVersion({ one, other }: VersionPair, query: string): boolean {
  const [asked, otherAsked] = [isAsked(one, query), isAsked(other, query)];
  return asked === otherAsked ? compare(rankVersion(one), rankVersion(other)) > 0 : asked;
}

function isAsked(version: string, query: string): boolean {
  const number = NUMBERED.exec(version)?.[1];
  if (number === undefined) return query.toLowerCase().split(/\W+/).includes(version.toLowerCase());
  return [...query.matchAll(NUMBERS)].some(([said]) => said.replace(/^v/i, '') === number);
}

/** Returns the sort key of a version, compared element by element: released or not, named or not, then the numbers. */
function rankVersion(version: string): number[] {
  const place = RELEASED.indexOf(version.toLowerCase());
  if (place !== -1) return [1, RELEASED.length - place];
  const found = NUMBERED.exec(version);
  if (found === null) return [0, 1];
  return [found[2] === undefined ? 1 : 0, 0, ...(found[1] ?? '').split('.').map(Number)];
}

function compare(left: number[], right: number[]): number {
  const length = Math.max(left.length, right.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
