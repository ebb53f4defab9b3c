import { parse as parseYaml } from 'yaml';
import type { Dependency } from '../library-types.ts';
import { type Fields, type LockReader, readJsonBeside, splitLines, toFields, toText } from './lock-reader.ts';

const DIRECT_FIELDS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'];
/** Specifiers of packages that no registry holds. */
const LOCAL = /^(?:file|link|workspace|portal|git|github|https?|git\+\w+):|^[./]/;

type NpmDependency = Pick<Dependency, 'name' | 'version' | 'isDirect' | 'isDev'> & { range?: string | null };

const toDependency = ({ range = null, ...stated }: NpmDependency): Dependency => ({
  ecosystem: 'npm',
  range,
  ...stated,
});

/** The direct dependencies that a package.json, or an entry of a lock file like it, states. */
function listStated(manifest: Fields): { name: string; range: string; isDev: boolean }[] {
  return DIRECT_FIELDS.flatMap((field) =>
    Object.entries(toFields(manifest[field])).map(([name, range]) => ({
      name,
      range: String(range),
      isDev: field === 'devDependencies',
    })),
  );
}

/** Splits `npm:real-name@^1.0.0`, the range of an alias, into the real name and its range. */
function parseAlias(name: string, range: string): { name: string; range: string } {
  const alias = /^npm:((?:@[^@/]+\/)?[^@]+)(?:@(.+))?$/.exec(range);
  return alias === null ? { name, range } : { name: alias[1] ?? name, range: alias[2] ?? '*' };
}

/** https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json */
export const PACKAGE_LOCK: LockReader = {
  ecosystem: 'npm',
  files: /^(?:package-lock|npm-shrinkwrap)\.json$/,
  read(text, beside) {
    const lock = toFields(JSON.parse(text));
    const packages = toFields(lock.packages);
    if (Object.keys(packages).length === 0)
      return readOldTree(toFields(lock.dependencies), readJsonBeside(beside, 'package.json'));
    const direct = new Map<string, boolean>();
    for (const [root, entry] of Object.entries(packages)) {
      if (/(?:^|\/)node_modules\//.test(root)) continue;
      for (const { name, isDev } of listStated(toFields(entry))) {
        const path = [`${root}/node_modules/${name}`, `node_modules/${name}`].find((one) => one in packages);
        if (path !== undefined) direct.set(path, (direct.get(path) ?? true) && isDev);
      }
    }
    return Object.entries(packages).flatMap(([path, value]) => {
      const entry = toFields(value);
      const name = toText(entry.name) ?? path.split('node_modules/').at(-1) ?? '';
      const version = toText(entry.version);
      const isOwn = !path.includes('node_modules/') || entry.link === true;
      const isElsewhere = /^(?:git|file:)/.test(toText(entry.resolved) ?? '');
      if (isOwn || isElsewhere || version === null) return [];
      const isDirect = direct.has(path);
      const isDev = isDirect ? direct.get(path) === true : entry.dev === true;
      return [toDependency({ name, version, isDirect, isDev })];
    });
  },
};

/** Reads the tree of versions before npm 7. */
function readOldTree(tree: Fields, manifest: Fields): Dependency[] {
  const stated = new Map(listStated(manifest).map((one) => [one.name, one]));
  const found: Dependency[] = [];
  const walk = (level: Fields, depth: number): void => {
    for (const [name, value] of Object.entries(level)) {
      const entry = toFields(value);
      const version = toText(entry.version);
      if (version !== null && !LOCAL.test(version)) {
        const isDirect = depth === 0 && stated.has(name);
        found.push(toDependency({ name, version, isDirect, isDev: entry.dev === true }));
      }
      if (depth < DEPTH_MAX) walk(toFields(entry.dependencies), depth + 1);
    }
  };
  walk(tree, 0);
  return found;
}
const DEPTH_MAX = 50;

/** https://github.com/pnpm/spec/tree/master/lockfile, versions 5 to 9. */
export const PNPM_LOCK: LockReader = {
  ecosystem: 'npm',
  files: /^pnpm-lock\.yaml$/,
  read(text) {
    const lock = toFields(parseYaml(text));
    const importers = Object.values(toFields(lock.importers));
    const direct = new Map<string, NpmDependency>();
    for (const importer of importers.length === 0 ? [lock] : importers) {
      for (const field of DIRECT_FIELDS) {
        for (const [name, value] of Object.entries(toFields(toFields(importer)[field]))) {
          const stated = toText(value) ?? toText(toFields(value).version) ?? '';
          if (LOCAL.test(stated) && !stated.startsWith('/')) continue;
          const { name: real, version } = parsePnpmKey(stated, name);
          if (version === null) continue;
          const isDev = (direct.get(`${real}@${version}`)?.isDev ?? true) && field === 'devDependencies';
          direct.set(`${real}@${version}`, { name: real, version, isDirect: true, isDev });
        }
      }
    }
    const others = Object.entries(toFields(lock.packages)).flatMap(([key, entry]) => {
      const { name, version } = parsePnpmKey(key, null);
      if (name === '' || version === null || direct.has(`${name}@${version}`)) return [];
      return [toDependency({ name, version, isDirect: false, isDev: toFields(entry).dev === true })];
    });
    return [...[...direct.values()].map(toDependency), ...others];
  },
};

const KEY_CHARS_MAX = 500;

/** Parses `1.2.3(peer@1)`, `1.2.3_peer`, `/name/1.2.3`, `/@scope/name@1.2.3` and `name@1.2.3`. */
function parsePnpmKey(key: string, own: string | null): { name: string; version: string | null } {
  const plain = (key.split('(', 1)[0] ?? '').slice(0, KEY_CHARS_MAX).replace(/^\//, '');
  const version = /^\d[\w.+-]*?(?=_|$)/.exec(plain)?.[0];
  if (own !== null && version !== undefined) return { name: own, version };
  const parts = /^((?:@[^/@]+\/)?[^/@]+)[@/](\d[\w.+-]*?)(?:_.*)?$/.exec(plain);
  return { name: parts?.[1] ?? '', version: parts?.[2] ?? null };
}

/** Yarn's own format of version 1, and YAML from version 2 on. */
export const YARN_LOCK: LockReader = {
  ecosystem: 'npm',
  files: /^yarn\.lock$/,
  read(text, beside) {
    const manifest = readJsonBeside(beside, 'package.json');
    const entries = /^__metadata:/m.test(text) ? readBerryEntries(text) : readYarnEntries(text);
    const direct = new Map<YarnEntry, boolean>();
    const byKey = new Map(entries.flatMap((entry) => entry.keys.map((key) => [key, entry] as const)));
    const workspaces = entries.filter(({ isWorkspace }) => isWorkspace).map(({ stated }) => stated);
    const statedDev = new Set(Object.keys(toFields(manifest.devDependencies)));
    for (const own of [manifest, ...workspaces]) {
      for (const { name, range, isDev } of listStated(own)) {
        const entry = [`${name}@${range}`, `${name}@npm:${range}`].map((key) => byKey.get(key)).find(Boolean);
        if (entry === undefined) continue;
        // Workspaces of version 2 do not say which dependencies are for development.
        const forDev = isDev || (own !== manifest && statedDev.has(name));
        direct.set(entry, (direct.get(entry) ?? true) && forDev);
      }
    }
    return entries
      .filter(({ isWorkspace, version }) => !isWorkspace && !LOCAL.test(version))
      .map((entry) =>
        toDependency({
          name: entry.name,
          version: entry.version,
          isDirect: direct.has(entry),
          isDev: direct.get(entry) === true,
        }),
      );
  },
};

type YarnEntry = { keys: string[]; name: string; version: string; isWorkspace: boolean; stated: Fields };

function readYarnEntries(text: string): YarnEntry[] {
  const entries: YarnEntry[] = [];
  let keys: string[] = [];
  for (const line of splitLines(text)) {
    if (/^[^\s#].*:$/.test(line))
      keys = line
        .slice(0, -1)
        .split(',')
        .map((key) => key.trim().replace(/^"|"$/g, ''));
    const version = /^ {2}version "?([^"\s]+)"?$/.exec(line)?.[1];
    const [key = ''] = keys;
    if (version === undefined || key === '') continue;
    const at = key.lastIndexOf('@', key.includes('@npm:') ? key.indexOf('@npm:') : key.length);
    const { name } = parseAlias(key.slice(0, at), key.slice(at + 1));
    entries.push({ keys, name, version, isWorkspace: false, stated: {} });
  }
  return entries;
}

function readBerryEntries(text: string): YarnEntry[] {
  return Object.entries(toFields(parseYaml(text))).flatMap(([key, value]) => {
    const entry = toFields(value);
    const resolution = /^((?:@[^/@]+\/)?[^/@]+)@(npm|workspace):/.exec(toText(entry.resolution) ?? '');
    if (resolution === null) return [];
    return [
      {
        keys: key.split(',').map((one) => one.trim()),
        name: resolution[1] ?? '',
        version: toText(entry.version) ?? '',
        isWorkspace: resolution[2] === 'workspace',
        stated: entry,
      },
    ];
  });
}

/** https://bun.com/docs/pm/lockfile: JSON with commas at the ends of lists, which YAML allows too. */
export const BUN_LOCK: LockReader = {
  ecosystem: 'npm',
  files: /^bun\.lock$/,
  read(text) {
    const lock = toFields(parseYaml(text.replaceAll('\t', '  ')));
    const direct = new Map<string, boolean>();
    for (const workspace of Object.values(toFields(lock.workspaces)))
      for (const { name, isDev } of listStated(toFields(workspace)))
        direct.set(name, (direct.get(name) ?? true) && isDev);
    return Object.entries(toFields(lock.packages)).flatMap(([key, value]) => {
      const parts = /^((?:@[^/@]+\/)?[^/@]+)@(\d.*)$/.exec(String((value as unknown[])?.[0] ?? ''));
      if (parts === null) return [];
      const [, name = '', version = ''] = parts;
      return [toDependency({ name, version, isDirect: direct.has(key), isDev: direct.get(key) === true })];
    });
  },
};

/** Without a lock file the ranges decide. */
export const PACKAGE_JSON: LockReader = {
  ecosystem: 'npm',
  files: /^package\.json$/,
  read: (text) =>
    listStated(toFields(JSON.parse(text)))
      .filter(({ range }) => !LOCAL.test(range))
      .map(({ isDev, ...stated }) =>
        toDependency({ ...parseAlias(stated.name, stated.range), version: null, isDirect: true, isDev }),
      ),
};
