import { parse as parseToml } from 'smol-toml';
import type { Dependency } from '../library-types.ts';
import {
  type Fields,
  type LockReader,
  type ReadBeside,
  splitLines,
  toFields,
  toList,
  toText,
} from './lock-reader.ts';

/** PEP 503: names differ neither in case nor in their separators. */
export const normalizePythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

type PythonDependency = Partial<Dependency> & { name: string };

function toDependency({
  name,
  version = null,
  range = null,
  isDirect = true,
  isDev = false,
}: PythonDependency) {
  return { ecosystem: 'pypi' as const, name: normalizePythonName(name), version, range, isDirect, isDev };
}

const REQUIREMENT_CHARS_MAX = 2_000;

/** Parses a requirement of PEP 508 such as `Django[argon2]>=4.2,<5 ; python_version > "3.8"`; null for an address or a path. */
function parseRequirement(text: string): { name: string; range: string | null } | null {
  if (text.length > REQUIREMENT_CHARS_MAX) return null;
  const parts = /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([<>=!~][^;@#)]*)?\)?\s*(?:;.*)?(?:#.*)?$/.exec(
    text.trim(),
  );
  if (parts === null) return null;
  const range = (parts[2] ?? '').trim();
  return { name: parts[1] ?? '', range: range === '' ? null : range };
}

/** Returns the version of a range that names exactly one. */
const findPinned = (range: string | null): string | null =>
  /^={2,3}\s*([^\s,*]+)$/.exec(range ?? '')?.[1] ?? null;

const isDevGroup = (name: string): boolean => /dev|test|lint|typing|docs?$/i.test(name);

const INCLUDES_MAX = 20;

/** https://pip.pypa.io/en/stable/reference/requirements-file-format/ */
export const REQUIREMENTS: LockReader = {
  ecosystem: 'pypi',
  files: /^(?:requirements|constraints)[\w.-]*\.txt$|^[\w.-]*requirements\.txt$/,
  read(text, beside, name) {
    const isDev = isDevGroup(name);
    const found = new Map<string, Dependency>();
    const readFile = (content: string, included: number): void => {
      const joined = content.replace(/\\\r?\n/g, ' ');
      const lines = splitLines(joined);
      // pip-compile and uv note for each line what asks for it.
      const isAnnotated = lines.some((line) => /^\s*# +via\b/.test(line));
      for (const [at, line] of lines.entries()) {
        const include = /^\s*(?:-r|--requirement)[\s=]+(\S+)/.exec(line)?.[1];
        const more = include === undefined || included >= INCLUDES_MAX ? null : beside(include);
        if (more !== null) readFile(more, included + 1);
        const bare = line.replace(/\s--hash[=\s].*$/, '').replace(/(?:^|\s)#.*$/, '');
        if (bare.trim() === '' || /^\s*-/.test(bare)) continue;
        const stated = parseRequirement(bare);
        if (stated === null) continue;
        const isDirect = !isAnnotated || isAskedForByProject(lines, at);
        const version = findPinned(stated.range);
        const range = version === null ? stated.range : null;
        const dependency = toDependency({ name: stated.name, version, range, isDirect, isDev });
        found.set(dependency.name, dependency);
      }
    };
    readFile(text, 0);
    return [...found.values()];
  },
};

/** Reads the comments below a pinned line: `# via -r requirements.in`, `#   project (pyproject.toml)`. */
function isAskedForByProject(lines: readonly string[], at: number): boolean {
  const notes = [(lines[at] ?? '').split('#').slice(1).join('#')];
  for (let next = at + 1; /^\s+#/.test(lines[next] ?? ''); next += 1) notes.push(lines[next] ?? '');
  const note = notes.join('\n');
  return !/\bvia\b/.test(note) || /-r\s|\((?:pyproject\.toml|setup\.(?:py|cfg))\)/.test(note);
}

/** https://docs.astral.sh/uv/concepts/projects/layout/#the-lockfile */
export const UV_LOCK: LockReader = {
  ecosystem: 'pypi',
  files: /^uv\.lock$/,
  read(text) {
    const packages = toList(toFields(parseToml(text)).package).map(toFields);
    const isOwn = ({ source }: Fields): boolean =>
      ['editable', 'virtual', 'directory', 'workspace'].some((kind) => kind in toFields(source));
    const direct = new Map<string, boolean>();
    const note = (list: unknown, isDev: boolean): void => {
      for (const one of toList(list)) {
        const name = toText(toFields(one).name);
        if (name !== null) direct.set(name, (direct.get(name) ?? true) && isDev);
      }
    };
    for (const own of packages.filter(isOwn)) {
      note(own.dependencies, false);
      for (const [group, list] of Object.entries(toFields(own['optional-dependencies'])))
        note(list, isDevGroup(group));
      for (const list of Object.values(toFields(own['dev-dependencies']))) note(list, true);
    }
    return packages
      .filter((one) => !isOwn(one) && 'registry' in toFields(one.source))
      .flatMap(({ name, version }) => {
        const [of, exact] = [toText(name), toText(version)];
        if (of === null || exact === null) return [];
        return [
          toDependency({
            name: of,
            version: exact,
            isDirect: direct.has(of),
            isDev: direct.get(of) === true,
          }),
        ];
      });
  },
};

/** https://python-poetry.org/docs/basic-usage/#installing-with-poetrylock; what is direct stands in pyproject.toml. */
export const POETRY_LOCK: LockReader = {
  ecosystem: 'pypi',
  files: /^poetry\.lock$/,
  read(text, beside) {
    const packages = toList(toFields(parseToml(text)).package).map(toFields);
    const stated = listStatedBeside(beside);
    const dependedOn = new Set(
      packages.flatMap(({ dependencies }) => Object.keys(toFields(dependencies)).map(normalizePythonName)),
    );
    return packages.flatMap((one) => {
      const [name, version] = [toText(one.name), toText(one.version)];
      const source = toText(toFields(one.source).type);
      if (name === null || version === null || (source !== null && source !== 'legacy')) return [];
      const own = stated?.get(normalizePythonName(name));
      const isDirect = stated === null ? !dependedOn.has(normalizePythonName(name)) : own !== undefined;
      const groups = toList(one.groups);
      const isOnlyDev = one.category === 'dev' || (groups.length > 0 && !groups.includes('main'));
      return [toDependency({ name, version, isDirect, isDev: own?.isDev ?? isOnlyDev })];
    });
  },
};

/** https://pipenv.pypa.io/en/latest/pipfile.html; what is direct stands in the Pipfile. */
export const PIPFILE_LOCK: LockReader = {
  ecosystem: 'pypi',
  files: /^Pipfile\.lock$/,
  read(text, beside) {
    const lock = toFields(JSON.parse(text));
    const pipfile = beside('Pipfile');
    const own = pipfile === null ? null : toFields(parseToml(pipfile));
    const stated =
      own === null
        ? null
        : new Set(
            [own.packages, own['dev-packages']].flatMap((part) =>
              Object.keys(toFields(part)).map(normalizePythonName),
            ),
          );
    return ['default', 'develop'].flatMap((part) =>
      Object.entries(toFields(lock[part])).flatMap(([name, entry]) => {
        const version = findPinned(toText(toFields(entry).version));
        if (version === null) return [];
        const isDirect = stated === null || stated.has(normalizePythonName(name));
        return [toDependency({ name, version, isDirect, isDev: part === 'develop' })];
      }),
    );
  },
};

/** Without a lock file the ranges decide. */
export const PYPROJECT: LockReader = {
  ecosystem: 'pypi',
  files: /^pyproject\.toml$/,
  read: (text) =>
    [...listStated(toFields(parseToml(text))).values()].map(({ name, range, isDev }) => {
      const version = findPinned(range);
      return toDependency({ name, version, range: version === null ? range : null, isDev });
    }),
};

type StatedRequirement = { name: string; range: string | null; isDev: boolean };

function listStatedBeside(beside: ReadBeside): Map<string, StatedRequirement> | null {
  const text = beside('pyproject.toml');
  return text === null ? null : listStated(toFields(parseToml(text)));
}

/** Lists what a pyproject.toml asks for, by the tables of the standard (PEP 621, PEP 735) and by those of Poetry. */
function listStated(file: Fields): Map<string, StatedRequirement> {
  const found = new Map<string, StatedRequirement>();
  const add = (name: string, range: string | null, isDev: boolean): void => {
    const key = normalizePythonName(name);
    if (key === 'python') return;
    const known = found.get(key);
    found.set(key, { name, range: known?.range ?? range, isDev: (known?.isDev ?? true) && isDev });
  };
  const addAll = (list: unknown, isDev: boolean): void => {
    for (const one of toList(list)) {
      const stated = typeof one === 'string' ? parseRequirement(one) : null;
      if (stated !== null) add(stated.name, stated.range, isDev);
    }
  };
  const project = toFields(file.project);
  addAll(project.dependencies, false);
  for (const [group, list] of Object.entries(toFields(project['optional-dependencies'])))
    addAll(list, isDevGroup(group));
  for (const list of Object.values(toFields(file['dependency-groups']))) addAll(list, true);
  const poetry = toFields(toFields(file.tool).poetry);
  const addPoetry = (table: unknown, isDev: boolean): void => {
    for (const [name, value] of Object.entries(toFields(table))) {
      const fields = toFields(value);
      if ('path' in fields || 'git' in fields || 'url' in fields) continue;
      const range = toText(value) ?? toText(fields.version);
      add(name, range === '*' ? null : range === null ? null : convertCaret(range), isDev);
    }
  };
  addPoetry(poetry.dependencies, false);
  addPoetry(poetry['dev-dependencies'], true);
  for (const [group, value] of Object.entries(toFields(poetry.group)))
    addPoetry(toFields(value).dependencies, group !== 'main');
  return found;
}

/** Converts Poetry's `^1.2.3`, `~1.2` and bare versions to a range of PEP 440. */
function convertCaret(range: string): string {
  return range
    .split(',')
    .map((part) => {
      const [, mark = '', version = ''] = /^([\^~]?)\s*(\d[\w.]*)$/.exec(part.trim()) ?? [];
      if (version === '') return part.trim();
      if (mark === '') return `==${version}`;
      const numbers = version.split('.').map((number) => Number.parseInt(number, 10) || 0);
      const first = numbers.findIndex((number) => number > 0);
      const at = mark === '~' ? Math.min(1, numbers.length - 1) : Math.max(0, first);
      const next = numbers.slice(0, at + 1).map((number, place) => (place === at ? number + 1 : number));
      return `>=${version},<${next.join('.')}`;
    })
    .join(',');
}
