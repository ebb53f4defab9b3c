import { maxSatisfying as choosePython } from '@renovatebot/pep440';
import { maxSatisfying, prerelease, rcompare, valid } from 'semver';

/** Chooses the newest version within a range of npm's grammar; null for the newest of all. Pre-releases count only where nothing else does. */
export function chooseSemver(versions: readonly string[], range: string | null): string | null {
  const known = versions.filter((version) => valid(version, true) !== null);
  if (range !== null) {
    const exact = known.find((version) => version === range || version === `v${range}`);
    return exact ?? maxSatisfying(known, range, { loose: true });
  }
  const released = known.filter((version) => prerelease(version, true) === null);
  return (released.length === 0 ? known : released).toSorted((a, b) => rcompare(a, b, true))[0] ?? null;
}

/** Chooses the newest version within a range of PEP 440. A bare version such as `4` or `4.2` means the newest that begins with it. */
export function choosePythonVersion(versions: readonly string[], range: string | null): string | null {
  if (range !== null && versions.includes(range)) return range;
  const isBare = range !== null && /^\d[\w.]*$/.test(range);
  const specifier = range === null ? '>=0' : isBare ? `==${range}.*` : range;
  const all = [...versions];
  return choosePython(all, specifier) ?? choosePython(all, specifier, { prereleases: true });
}

/** Converts `~> 3.1` of Ruby to npm's grammar: at least 3.1, below 4. */
export function convertPessimistic(range: string): string {
  return range
    .split(',')
    .map((part) => {
      const version = /^\s*~>\s*(\d[\w.]*)\s*$/.exec(part)?.[1];
      if (version === undefined) return part.trim().replace(/^=\s*/, '').replace(/^!=.*/, '');
      const numbers = version.split('.').map((number) => Number.parseInt(number, 10) || 0);
      const kept = numbers.slice(0, Math.max(1, numbers.length - 1));
      const next = kept.map((number, at) => (at === kept.length - 1 ? number + 1 : number));
      return `>=${fillVersion(version)} <${fillVersion(next.join('.'))}-0`;
    })
    .join(' ');
}

/** `3.1` -> `3.1.0`. */
const fillVersion = (version: string): string => [...version.split('.'), '0', '0'].slice(0, 3).join('.');

/** Compares versions of Maven by their numbers; qualifiers such as `-rc1` come before the release, `-jre` counts as one. */
function compareMavenVersions(one: string, other: string): number {
  const [a, b] = [readMavenVersion(one), readMavenVersion(other)];
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(b.isPreview) - Number(a.isPreview) || (one < other ? -1 : Number(one > other));
}

/** Returns whether a version of Maven is not a release. */
const isMavenPreview = (version: string): boolean =>
  /(?:^|[.\d-])(?:alpha|beta|rc|cr|m|snapshot|preview|ea|pre)(?:[.\d-]|$)/i.test(version);

function readMavenVersion(version: string): { numbers: number[]; isPreview: boolean } {
  const [numbers = ''] = /^v?\d+(?:\.\d+)*/.exec(version) ?? [];
  return { numbers: numbers.replace(/^v/, '').split('.').map(Number), isPreview: isMavenPreview(version) };
}

/** Chooses the newest version of Maven within a range such as `[1.0,2.0)`; null for the newest release. */
export function chooseMavenVersion(versions: readonly string[], range: string | null): string | null {
  if (range !== null && versions.includes(range)) return range;
  const sorted = versions.toSorted(compareMavenVersions).reverse();
  const candidates = [...sorted.filter((version) => !isMavenPreview(version)), ...sorted];
  const bounds = /^([[(])([^,\])]*)(?:,([^\])]*))?([\])])$/.exec(range?.replaceAll(/\s/g, '') ?? '');
  if (bounds === null) {
    const prefix = range === null ? '' : `${range}.`;
    return candidates.find((version) => version.startsWith(prefix)) ?? null;
  }
  const [, left, low = '', high = bounds[2], right] = bounds;
  const isWithin = (version: string): boolean => {
    const above = low === '' ? 1 : compareMavenVersions(version, low);
    const below = high === '' || high === undefined ? -1 : compareMavenVersions(version, high);
    return (above > 0 || (above === 0 && left === '[')) && (below < 0 || (below === 0 && right === ']'));
  };
  return candidates.find(isWithin) ?? null;
}
