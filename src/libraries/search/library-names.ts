/** A library as people and agents name it. */
type LibraryName = { ecosystem: string; name: string };

/** What a name asks for: `npm:fastify@5`, `fastify@5`, `/npm/fastify` or `fastify`. */
export type AskedLibrary = { ecosystem: string | null; name: string; version: string | null };

/** How well a library fits a name: by its own name, another name of it, a part of its name, or a slip of spelling. */
export const MATCHES = ['name', 'alias', 'part', 'spelling'] as const;
export type NameMatch = (typeof MATCHES)[number];

/**
 * Names that people use for one thing, the package first. Only what rules below do not find: modules that are imported under another name
 * than their package has, packages that were renamed or split, and products whose package has another name.
 */
const SYNONYMS: readonly (readonly string[])[] = [
  ['scikit-learn', 'sklearn'],
  ['beautifulsoup4', 'bs4', 'beautiful soup'],
  ['pyyaml', 'yaml'],
  ['opencv-python', 'opencv-python-headless', 'cv2', 'opencv'],
  ['pillow', 'pil'],
  ['scikit-image', 'skimage'],
  ['psycopg2', 'psycopg2-binary', 'psycopg'],
  ['attrs', 'attr'],
  ['protobuf', 'google.protobuf'],
  ['pytorch', 'torch'],
  ['djangorestframework', 'drf', 'django rest framework', 'rest_framework'],
  ['pyserial', 'serial'],
  ['pycryptodome', 'crypto'],
  ['msgpack', 'msgpack-python'],
  ['react-router', 'react-router-dom', 'react-router-native'],
  ['next', 'next.js', 'nextjs'],
  ['@tanstack/react-query', 'react-query', 'tanstack query'],
  ['@tanstack/react-table', 'react-table', 'tanstack table'],
  ['@apollo/client', 'apollo-client'],
  ['@angular/core', 'angular', 'angularjs'],
  ['@sveltejs/kit', 'sveltekit'],
  ['@nestjs/core', '@nestjs/common', 'nest', 'nestjs'],
  ['@mui/material', '@material-ui/core', 'material ui', 'mui'],
  ['@playwright/test', 'playwright'],
  ['tailwindcss', 'tailwind'],
  ['pg', 'node-postgres'],
  ['sass', 'node-sass', 'dart-sass'],
  ['socket.io', 'socketio'],
  ['discord.js', 'discordjs'],
  ['three', 'three.js', 'threejs'],
  ['d3', 'd3.js', 'd3js'],
  ['typescript', 'ts'],
  ['k8s.io/client-go', 'client-go', 'kubernetes'],
  ['org.springframework.boot:spring-boot', 'org.springframework.boot:spring-boot-starter', 'spring boot'],
  ['org.junit.jupiter:junit-jupiter', 'org.junit.jupiter:junit-jupiter-api', 'junit', 'junit5'],
];

/** A slip of one letter counts from this length on, one of two from twice that. */
const SLIP_CHARS_MIN = 4;
const SLIPS_MAX = 2;
const NAME_CHARS_MAX = 214;

/**
 * Parses a name. Names of scopes and of Go keep their slashes: `/npm/@nestjs/core` is `npm:@nestjs/core`. Agents also know libraries by
 * their repository: `/vercel/next.js/v15.1.8` is `next.js@15.1.8`.
 */
export function parseAsked(text: string, ecosystems: readonly string[]): AskedLibrary {
  const written = text.trim().slice(0, NAME_CHARS_MAX);
  const [, owner = '', project = '', tag] =
    /^\/([\w.-]+)\/([\w.-]+?)(?:[/@]v?(\d[^/]*))?$/.exec(written) ?? [];
  if (project !== '' && !ecosystems.includes(owner.toLowerCase()))
    return { ecosystem: null, name: project, version: tag ?? null };
  const [, prefix = '', rest = ''] =
    /^\/([a-z]+)\/(.+)$/i.exec(written) ?? /^([a-z]+):(.+)$/i.exec(written) ?? [];
  const isPrefixed = ecosystems.includes(prefix.toLowerCase());
  const [, name = '', version] = /^(@?[^@]+)(?:@v?(.+))?$/.exec(isPrefixed ? rest : written) ?? [];
  const isNewest = version === undefined || version === 'latest';
  return {
    ecosystem: isPrefixed ? prefix.toLowerCase() : null,
    name: name.trim(),
    version: isNewest ? null : version.trim(),
  };
}

/** Returns the libraries that a name may mean, the best matches first; those of one match keep their order. */
export function matchLibraries<Library extends LibraryName>(
  libraries: readonly Library[],
  { ecosystem, name }: Pick<AskedLibrary, 'ecosystem' | 'name'>,
): { library: Library; match: NameMatch }[] {
  if (fold(name) === '') return [];
  const synonyms = new Set(
    SYNONYMS.filter((group) => group.some((one) => fold(one) === fold(name))).flatMap((group) =>
      group.map(fold),
    ),
  );
  return libraries
    .filter((library) => ecosystem === null || library.ecosystem === ecosystem)
    .flatMap((library) => {
      const match = matchName(library.name, name, synonyms);
      return match === null ? [] : [{ library, match }];
    })
    .sort((one, other) => MATCHES.indexOf(one.match) - MATCHES.indexOf(other.match));
}

function matchName(held: string, asked: string, synonyms: ReadonlySet<string>): NameMatch | null {
  const [own, wanted] = [fold(held), fold(asked)];
  if (own === wanted) return 'name';
  if (synonyms.has(own) || stripAffixes(own) === stripAffixes(wanted)) return 'alias';
  const parts = held.split(/[/:]/).map(fold);
  if (parts.includes(wanted) || parts.some((part) => stripAffixes(part) === stripAffixes(wanted)))
    return 'part';
  const isSlip = [own, parts.at(-1) ?? ''].some((one) => isSlipOf(one, wanted));
  return isSlip ? 'spelling' : null;
}

/** Leaves letters and digits: registries treat `-`, `_` and `.` alike, and people leave them out. */
const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** `nextjs`, `vuejs` -> `next`, `vue`; `pyjwt` -> `jwt`; `python-dateutil` -> `dateutil`. */
function stripAffixes(name: string): string {
  const bare = name
    .replace(/^(?:python|node|golang|go|rust|ruby)(?=.{3})/, '')
    .replace(/(?<=.{2})(?:js|rs|py)$/, '');
  return bare.replace(/^py(?=.{3})/, '');
}

/** Returns whether two names differ by few letters that were changed, added, left out or swapped. */
function isSlipOf(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const allowed = Math.min(SLIPS_MAX, Math.floor(shorter / SLIP_CHARS_MIN));
  if (allowed === 0 || Math.abs(one.length - other.length) > allowed) return false;
  return countSlips(one, other) <= allowed;
}

/** Optimal string alignment distance. */
function countSlips(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}

/**
 * Chooses the newest of some versions within what was asked for: `5` and `5.1` mean the newest that begins so; null if none does. Where no
 * version was asked for, those before a release count only if there is no release.
 */
export function chooseHeldVersion(versions: readonly string[], asked: string | null): string | null {
  const bare = (version: string): string => version.replace(/^v(?=\d)/, '');
  const wanted = asked === null ? null : bare(asked.replace(/^[\^~=]+|\.[x*]$/g, ''));
  const within = versions.filter(
    (version) => wanted === null || bare(version) === wanted || bare(version).startsWith(`${wanted}.`),
  );
  const released = wanted === null ? within.filter((version) => readVersion(version).rest === '') : [];
  return (released.length === 0 ? within : released).toSorted(compareVersions).at(-1) ?? null;
}

/** Compares versions of any ecosystem by their numbers; what follows the numbers, such as `-rc.1`, comes before the release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [readVersion(one), readVersion(other)];
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if ((a.rest === '') !== (b.rest === '')) return a.rest === '' ? 1 : -1;
  return a.rest.localeCompare(b.rest, 'en', { numeric: true });
}

function readVersion(version: string): { numbers: number[]; rest: string } {
  const [, numbers = '', rest = ''] = /^v?(\d{1,20}(?:\.\d{1,20}){0,9})?([\s\S]*)$/.exec(version) ?? [];
  return { numbers: numbers.split('.').map(Number), rest: rest.replace(/^\+.*/, '') };
}
