/** Parts of an address that stand for whatever version is current. */
const MOVING = /\/(?:latest|stable|current|main|master|dev)(?=\/|$)/;

/**
 * Pure: returns the address of the documentation of one version; null if the address names no version. Where it names the newest by a word,
 * as Read the Docs does, the version takes its place.
 */
export function resolveVersionedSite(address: string, version: string): string | null {
  const url = URL.parse(address);
  if (url === null) return null;
  const plain = version.replace(/^v/, '');
  const [major = '', minor] = plain.split('.');
  const spellings = [plain, ...(minor === undefined ? [] : [`${major}.${minor}`])];
  const segments = url.pathname.split('/');
  const isNamed = segments.some((segment) =>
    spellings.some(
      (spelling) => segment === spelling || segment === `v${spelling}` || segment === `${spelling}.x`,
    ),
  );
  if (isNamed || segments.includes(`v${major}`)) return url.href;
  if (url.hostname.endsWith('.readthedocs.io'))
    return MOVING.test(url.pathname)
      ? `${url.origin}${url.pathname.replace(MOVING, `/${plain}`)}`
      : `${url.origin}/en/${plain}/`;
  return null;
}

/** Pure: returns whether the documentation of one version holds for another: the same major version, below 1 the same minor too. */
export function isSameLine(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.replace(/^v/, '').split('.'));
  return a?.[0] === b?.[0] && (a?.[0] !== '0' || a?.[1] === b?.[1]);
}
