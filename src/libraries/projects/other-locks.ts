import { parse as parseYaml } from 'yaml';
import type { Dependency } from '../library-types.ts';
import { type LockReader, readJsonBeside, splitLines, toFields, toList, toText } from './lock-reader.ts';

/** https://getcomposer.org/doc/01-basic-usage.md#commit-your-composer-lock-file-to-version-control */
export const COMPOSER_LOCK: LockReader = {
  ecosystem: 'composer',
  files: /^composer\.lock$/,
  read(text, beside) {
    const lock = toFields(JSON.parse(text));
    const manifest = readJsonBeside(beside, 'composer.json');
    const stated = new Set(
      [manifest.require, manifest['require-dev']].flatMap((part) => Object.keys(toFields(part))),
    );
    return ['packages', 'packages-dev'].flatMap((part) =>
      toList(lock[part]).flatMap((value): Dependency[] => {
        const { name, version } = toFields(value);
        const [of, exact] = [toText(name), toText(version)?.replace(/^v(?=\d)/, '')];
        if (of === null || exact === undefined || exact.startsWith('dev-')) return [];
        const isDirect = stated.size === 0 || stated.has(of);
        return [
          {
            ecosystem: 'composer',
            name: of,
            version: exact,
            range: null,
            isDirect,
            isDev: part !== 'packages',
          },
        ];
      }),
    );
  },
};

/** https://bundler.io/man/gemfile.5.html; the lock file lists what the Gemfile names under DEPENDENCIES. */
export const GEMFILE_LOCK: LockReader = {
  ecosystem: 'gem',
  files: /^(?:Gemfile|gems)\.lock$/,
  read(text, beside) {
    const dev = listDevGems(beside('Gemfile') ?? '');
    const versions = new Map<string, string>();
    const direct = new Set<string>();
    let section = '';
    for (const line of splitLines(text)) {
      const [, indent = '', name = '', version] = /^( *)([\w.-]+)!?(?: \(([^)]*)\))?!?$/.exec(line) ?? [];
      if (/^[A-Z ]+$/.test(line) && !line.startsWith(' ')) section = line;
      // Platforms follow the version: `nokogiri (1.16.0-x86_64-linux)`.
      else if (section === 'GEM' && indent.length === 4 && version !== undefined && !versions.has(name))
        versions.set(name, version.split(/-(?=[a-z])/, 1)[0] ?? version);
      else if (section === 'DEPENDENCIES' && indent.length === 2) direct.add(name);
    }
    return [...versions].map(([name, version]) => ({
      ecosystem: 'gem',
      name,
      version,
      range: null,
      isDirect: direct.has(name),
      isDev: dev.has(name),
    }));
  },
};

/** Lists the gems in the groups `development` and `test` of a Gemfile, as far as it is written plainly. */
function listDevGems(gemfile: string): Set<string> {
  const found = new Set<string>();
  let isInGroup = false;
  for (const line of splitLines(gemfile)) {
    const name = /^\s*gem\s*\(?\s*["']([\w.-]+)["']/.exec(line)?.[1];
    const isForDev = /:(?:development|test)\b/.test(line);
    if (/^\s*group\b/.test(line)) isInGroup = isForDev;
    else if (/^end\b/.test(line)) isInGroup = false;
    if (name !== undefined && (isInGroup || isForDev)) found.add(name);
  }
  return found;
}

/** https://dart.dev/tools/pub/glossary#lockfile */
export const PUBSPEC_LOCK: LockReader = {
  ecosystem: 'pub',
  files: /^pubspec\.lock$/,
  read: (text) =>
    Object.entries(toFields(toFields(parseYaml(text)).packages)).flatMap(([name, value]): Dependency[] => {
      const { version, dependency, source } = toFields(value);
      const exact = toText(version);
      if (exact === null || source !== 'hosted') return [];
      const how = toText(dependency) ?? '';
      const isDirect = how.startsWith('direct');
      return [{ ecosystem: 'pub', name, version: exact, range: null, isDirect, isDev: how === 'direct dev' }];
    }),
};
