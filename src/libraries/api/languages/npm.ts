/**
 * Reads what a package of npm offers at each of its entry points: the types that `exports` or `types` of package.json name, with
 * what they export again from other files of the package, or the JavaScript itself where there are no types.
 */

import { type ApiModule, type Declaration, declare } from '../api-module.ts';
import { canGoOn, LIMITS, type SourceReader, type Trail } from '../source-reader.ts';
import { readJavascriptFile } from './javascript-file.ts';
import { readScriptFile, type ScriptScope } from './script-file.ts';

const ENTRIES_MAX = 500;
const DECLARATIONS = /\.d\.(?:[\w-]+\.)?[cm]?ts$/;
const TYPES = /\.[cm]?tsx?$/;
const SCRIPT = /\.[cm]?jsx?$/;

/** `scope` is that of a module declared inside a file. */
type Entry = { name: string; path: string; scope: ScriptScope | null };
type Manifest = {
  name?: unknown;
  types?: unknown;
  typings?: unknown;
  main?: unknown;
  module?: unknown;
  exports?: unknown;
};

export function readNpmModules(source: SourceReader): ApiModule[] {
  const manifest = readManifest(source);
  const packageName =
    typeof manifest.name === 'string'
      ? manifest.name.replace(/^@types\/(?:(.+)__)?/, (_, scope?: string) =>
          scope === undefined ? '' : `@${scope}/`,
        )
      : 'package';
  const program = createProgram(source);
  const entries = findEntries(source, manifest, packageName);
  const surfaces = [...entries, ...findAmbientModules(program, entries)].map((entry) => ({
    entry,
    exports:
      entry.scope === null
        ? listFileExports(program, entry.path, new Set())
        : listScopeExports(program, entry.path, entry.scope),
  }));
  const writer: Writer = { program, homes: new Map(), packageName };
  // What a module exports by its own name is documented there; only then come the namespaces through which it is reached as well.
  for (const { entry, exports } of surfaces)
    for (const { target } of exports)
      for (const found of target.declarations)
        if (!writer.homes.has(found)) writer.homes.set(found, entry.name);
  return surfaces.map(({ entry, exports }) => ({
    name: entry.name,
    language: SCRIPT.test(entry.path) ? 'js' : 'ts',
    docs: program.read(entry.path)?.docs ?? '',
    deprecated: null,
    declarations: writeExports(writer, exports, {
      module: entry.name,
      qualifier: shortenName(entry.name),
      depth: 0,
    }),
  }));
}

function readManifest(source: SourceReader): Manifest {
  try {
    const manifest: unknown = JSON.parse(source.getText('package.json') ?? '{}');
    return typeof manifest === 'object' && manifest !== null ? manifest : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    source.skip('package.json', 'is no JSON');
    return {};
  }
}

/** `@scope/name` is called `name` in programs. */
const shortenName = (name: string): string => name.replace(/^@[^/]+\//, '').replaceAll('/', '.');

/** The files of the package, each parsed when it is first asked for. */
type Program = {
  source: SourceReader;
  read(path: string): ScriptScope | null;
  resolve(from: string, specifier: string): string | null;
};

function createProgram(source: SourceReader): Program {
  const scopes = new Map<string, ScriptScope | null>();
  const all = new Set(source.paths);
  return {
    source,
    read(path) {
      const known = scopes.get(path);
      if (known !== undefined) return known;
      const scope = SCRIPT.test(path)
        ? source.read(path, 'javascript', readJavascriptFile)
        : source.read(path, 'typescript', readScriptFile);
      scopes.set(path, scope);
      return scope;
    },
    resolve(from, specifier) {
      if (!specifier.startsWith('.')) return null;
      const path = normalizePath(`${from.slice(0, from.lastIndexOf('/') + 1)}${specifier}`);
      return path === null ? null : findFile(all, path, SCRIPT.test(from));
    },
  };
}

/** Null for what lies outside the package. */
function normalizePath(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** Types win over the program beside them, unless one file of a program names another. */
function findFile(all: ReadonlySet<string>, path: string, isScript: boolean): string | null {
  const stem = path.replace(/\.([cm]?)[jt]sx?$/, '');
  const mark = /\.([cm])[jt]s$/.exec(path)?.[1] ?? '';
  const types = [
    `${stem}.d.${mark}ts`,
    `${stem}.d.ts`,
    `${path}.d.ts`,
    `${path}.d.mts`,
    `${path}.d.cts`,
    `${path}/index.d.ts`,
    `${path}/index.d.mts`,
    `${path}/index.d.cts`,
  ];
  const scripts = [
    `${path}.js`,
    `${path}.mjs`,
    `${path}.cjs`,
    `${path}/index.js`,
    `${path}/index.mjs`,
    `${path}/index.cjs`,
  ];
  const named = /\.[cm]?[jt]sx?$/.test(path) ? [path] : [];
  const sources = [`${stem}.ts`, `${stem}.tsx`, `${path}/index.ts`];
  const candidates = isScript
    ? [...named, ...scripts]
    : [...(DECLARATIONS.test(path) ? named : []), ...types, ...named, ...sources, ...scripts];
  return (
    candidates.map((candidate) => candidate.replace(/^\//, '')).find((candidate) => all.has(candidate)) ??
    null
  );
}

function findEntries(source: SourceReader, manifest: Manifest, packageName: string): Entry[] {
  const all = new Set(source.paths);
  const entries = new Map<string, Entry>();
  const add = (subpath: string, target: string): void => {
    const path = normalizePath(target);
    const file = path === null ? null : findFile(all, path, false);
    const name = [packageName, ...subpath.split('/').slice(1)].join('/');
    if (
      file !== null &&
      (TYPES.test(file) || SCRIPT.test(file)) &&
      entries.size < ENTRIES_MAX &&
      !entries.has(name)
    )
      entries.set(name, { name, path: file, scope: null });
  };
  for (const { subpath, target } of listExportTargets(manifest.exports)) {
    const star = target.indexOf('*');
    if (!subpath.includes('*')) add(subpath, target);
    else if (star !== -1) {
      const [begin, end] = [normalizePath(target.slice(0, star)) ?? '', target.slice(star + 1)];
      for (const path of source.paths)
        if (
          path.startsWith(begin) &&
          path.endsWith(end) &&
          path.length > begin.length + end.length &&
          !/\.(?:map|json)$/.test(path)
        ) {
          const middle = path.slice(begin.length, path.length - end.length).replace(/^\//, '');
          add(subpath.replace('*', middle.replace(/(?:\.d)?\.[cm]?[jt]s$/, '')), path);
        }
    }
  }
  const mains = [manifest.types, manifest.typings, manifest.module, manifest.main, 'index.d.ts', 'index.js'];
  const hasTypes = [...entries.values()].some(({ path }) => DECLARATIONS.test(path));
  if (!hasTypes)
    for (const main of mains) {
      if (typeof main !== 'string') continue;
      const isType = main === manifest.types || main === manifest.typings;
      // Types at the root count for an entry that `exports` leads to a program.
      if (isType && entries.get(packageName) !== undefined) entries.delete(packageName);
      add('.', main);
    }
  return [...entries.values()];
}

/** Pairs of a subpath and a file, of conditions the one with the types. */
function listExportTargets(exported: unknown): { subpath: string; target: string }[] {
  if (typeof exported === 'string' || Array.isArray(exported)) return toTargets('.', exported);
  if (typeof exported !== 'object' || exported === null) return [];
  const isSubpaths = Object.keys(exported).some((key) => key.startsWith('.'));
  if (!isSubpaths) return toTargets('.', exported);
  return Object.entries(exported).flatMap(([subpath, value]) =>
    subpath.startsWith('.') && !/\.(?:json|css|map)$/.test(subpath) ? toTargets(subpath, value) : [],
  );
}

function toTargets(subpath: string, value: unknown): { subpath: string; target: string }[] {
  const target = chooseTarget(value, 0);
  return target === null ? [] : [{ subpath, target }];
}

function chooseTarget(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > LIMITS.nestingMax) return null;
  if (Array.isArray(value)) return chooseTarget(value[0], depth + 1);
  const conditions = new Map(Object.entries(value));
  for (const condition of ['types', 'import', 'node', 'default', 'require', 'module', 'browser']) {
    const target = chooseTarget(conditions.get(condition), depth + 1);
    if (target !== null) return target;
  }
  const [first] = [...conditions].filter(([key]) => key.startsWith('types@')).map(([, types]) => types);
  return chooseTarget(first, depth + 1);
}

/** `declare module 'x'` in a file that is no module itself declares one; in others it adds to a foreign one. */
function findAmbientModules(program: Program, entries: readonly Entry[]): Entry[] {
  const found = new Map<string, Entry>();
  const queue = entries.map(({ path }) => path);
  const visited = new Set(queue);
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const scope = program.read(path);
    if (scope === null) continue;
    for (const reference of scope.references) {
      const target = normalizePath(`${path.slice(0, path.lastIndexOf('/') + 1)}${reference}`);
      if (target === null || visited.has(target)) continue;
      visited.add(target);
      queue.push(target);
    }
    if (scope.isModule) continue;
    for (const [name, module] of scope.ambientModules)
      if (!found.has(name) && !name.includes('*')) found.set(name, { name, path, scope: module });
  }
  return [...found.values()];
}

/** What a name leads to: declarations, and the names inside a namespace or another file. */
type Target = {
  declarations: readonly Declaration[];
  /** A namespace with its file, a whole file, or neither. */
  inner: { path: string; scopes: readonly ScriptScope[] } | { path: string } | null;
};
type Exported = { name: string; target: Target };

function listFileExports(program: Program, path: string, visited: Set<string>): Exported[] {
  const scope = program.read(path);
  if (scope === null || visited.has(path) || visited.size > LIMITS.filesMax) return [];
  visited.add(path);
  const exports = new Map<string, Target>();
  for (const { name, local } of scope.exports) {
    const target = resolveLocal(program, path, [scope], local, { steps: 0 });
    if (target !== null && !exports.has(name)) exports.set(name, target);
  }
  for (const { name, source, imported } of scope.exportsFrom) {
    const target = resolveImport(program, path, { source, imported }, { steps: 0 });
    if (target !== null && !exports.has(name)) exports.set(name, target);
  }
  for (const source of scope.stars) {
    const file = program.resolve(path, source);
    if (file === null) continue;
    for (const { name, target } of listFileExports(program, file, visited))
      if (name !== 'default' && !exports.has(name)) exports.set(name, target);
  }
  if (scope.assigned !== null) {
    const target = resolveLocal(program, path, [scope], scope.assigned, { steps: 0 });
    if (target !== null) exports.set('export=', target);
  }
  return [...exports].map(([name, target]) => ({ name, target }));
}

function listScopeExports(program: Program, path: string, scope: ScriptScope): Exported[] {
  const names =
    scope.exports.length > 0 ? scope.exports : [...scope.names.keys()].map((name) => ({ name, local: name }));
  const outer = program.read(path);
  const exports = names.flatMap(({ name, local }) => {
    const target = resolveLocal(program, path, outer === null ? [scope] : [scope, outer], local, {
      steps: 0,
    });
    return target === null ? [] : [{ name, target }];
  });
  if (scope.assigned === null) return exports;
  const assigned = resolveLocal(program, path, outer === null ? [scope] : [scope, outer], scope.assigned, {
    steps: 0,
  });
  return assigned === null ? exports : [...exports, { name: 'export=', target: assigned }];
}

/** Finds a name, which may have parts, in the innermost scope that has it. */
function resolveLocal(
  program: Program,
  path: string,
  scopes: readonly ScriptScope[],
  local: string,
  trail: Trail,
): Target | null {
  if (!canGoOn(trail)) return null;
  const [first = '', ...rest] = local.split('.');
  for (const scope of scopes) {
    const declarations = scope.names.get(first);
    const namespaces = scope.namespaces.get(first);
    if (declarations !== undefined || namespaces !== undefined) {
      if (rest.length > 0) {
        for (const inner of namespaces ?? []) {
          const target = resolveLocal(program, path, [inner], rest.join('.'), trail);
          if (target !== null) return target;
        }
        return null;
      }
      return {
        declarations: declarations ?? [],
        inner: namespaces === undefined ? null : { path, scopes: namespaces },
      };
    }
    const alias = scope.aliases.get(first);
    if (alias !== undefined && alias !== first)
      return resolveLocal(program, path, scopes, [alias, ...rest].join('.'), trail);
    const imported = scope.imports.get(first);
    if (imported !== undefined) {
      const target = resolveImport(program, path, imported, trail);
      if (rest.length === 0 || target === null) return target;
      return resolveInside(program, target, rest.join('.'), trail);
    }
  }
  return null;
}

function resolveInside(program: Program, { inner }: Target, name: string, trail: Trail): Target | null {
  if (inner === null) return null;
  if ('scopes' in inner) return resolveLocal(program, inner.path, inner.scopes, name, trail);
  const [first = '', ...rest] = name.split('.');
  const target = findExport(program, inner.path, first, trail);
  return rest.length === 0 || target === null
    ? target
    : resolveInside(program, target, rest.join('.'), trail);
}

function resolveImport(
  program: Program,
  path: string,
  { source, imported }: { source: string; imported: string },
  trail: Trail,
): Target | null {
  const file = program.resolve(path, source);
  if (file === null || !canGoOn(trail)) return null;
  if (imported !== '*') return findExport(program, file, imported, trail);
  // `import x = require('./x')` gives what that file assigns to its exports.
  const assigned = program.read(file)?.assigned;
  return assigned === null || assigned === undefined
    ? { declarations: [], inner: { path: file } }
    : findExport(program, file, 'export=', trail);
}

function findExport(program: Program, path: string, name: string, trail: Trail): Target | null {
  const scope = program.read(path);
  if (scope === null || !canGoOn(trail)) return null;
  const own = scope.exports.find((exported) => exported.name === name);
  if (own !== undefined) return resolveLocal(program, path, [scope], own.local, trail);
  const from = scope.exportsFrom.find((exported) => exported.name === name);
  if (from !== undefined) return resolveImport(program, path, from, trail);
  if (scope.assigned !== null) {
    const target = resolveLocal(program, path, [scope], scope.assigned, trail);
    if (name === 'export=' || name === 'default' || target === null) return target;
    return resolveInside(program, target, name, trail);
  }
  if (name === 'default') return null;
  // Declarations without a list of exports offer all their names.
  if (!scope.hasExportList && DECLARATIONS.test(path) && scope.names.has(name))
    return resolveLocal(program, path, [scope], name, trail);
  for (const star of scope.stars) {
    if (!canGoOn(trail)) break;
    const file = program.resolve(path, star);
    const target = file === null ? null : findExport(program, file, name, trail);
    if (target !== null) return target;
  }
  return null;
}

/** `homes` has the module that documents a declaration. */
type Writer = { program: Program; homes: Map<Declaration, string>; packageName: string };
type Location = { module: string; qualifier: string; depth: number };

function writeExports(writer: Writer, exports: readonly Exported[], location: Location): Declaration[] {
  const written: Declaration[] = [];
  const named = new Set(
    exports.filter(({ name }) => name !== 'default').flatMap(({ target }) => target.declarations),
  );
  for (const { name, target } of exports) {
    // The default export under its own name is written once.
    const isRepeated =
      name === 'default' && target.declarations.some((declaration) => named.has(declaration));
    if (isRepeated || (name === 'default' && isNamespaceOf(exports, target))) continue;
    const own =
      name === 'export='
        ? location.qualifier
        : `${location.qualifier}.${name === 'default' ? readDefaultName(target) : name}`;
    for (const declaration of target.declarations)
      written.push(writeDeclaration(writer, declaration, own, location.module));
    written.push(
      ...writeInner(
        writer,
        target,
        { ...location, qualifier: own, depth: location.depth + 1 },
        name === 'export=',
      ),
    );
  }
  return written;
}

const readDefaultName = ({ declarations: [first] }: Target): string => first?.name ?? 'default';

/** True for `export { z as default }` beside `export { z }`, where both stand for a whole file. */
function isNamespaceOf(exports: readonly Exported[], { inner }: Target): boolean {
  return (
    inner !== null &&
    exports.some(({ name, target }) => name !== 'default' && target.inner?.path === inner.path)
  );
}

function writeDeclaration(
  writer: Writer,
  declaration: Declaration,
  name: string,
  module: string,
): Declaration {
  const home = writer.homes.get(declaration) ?? module;
  writer.homes.set(declaration, home);
  if (home !== module) return { ...declaration, name, docs: '', members: [], documentedIn: home };
  return { ...declaration, name };
}

function writeInner(
  writer: Writer,
  { inner }: Target,
  location: Location,
  isAssigned: boolean,
): Declaration[] {
  if (inner === null || location.depth > LIMITS.nestingMax) return [];
  if ('scopes' in inner) {
    const exports = inner.scopes.flatMap((scope) => listNamespaceExports(writer.program, inner.path, scope));
    const members = writeExports(writer, exports, location);
    if (isAssigned || members.length === 0) return members;
    return [declare({ name: location.qualifier, kind: 'namespace', signature: '', line: 1 }), ...members];
  }
  const exports = listFileExports(writer.program, inner.path, new Set());
  // Names that another module documents are found there.
  const fresh = exports.filter(({ target: { declarations } }) =>
    declarations.some((found) => !writer.homes.has(found)),
  );
  const others = new Set(
    exports.flatMap(({ target }) => target.declarations.map((found) => writer.homes.get(found))),
  );
  const told = [...others]
    .filter((module) => module !== undefined)
    .sort()
    .map((module) => `\`${module}\``);
  const docs = told.length === 0 ? '' : `A namespace with names that are documented in ${told.join(', ')}.`;
  return [
    declare({ name: location.qualifier, kind: 'namespace', signature: '', line: 1, docs }),
    ...writeExports(writer, fresh, location),
  ];
}

function listNamespaceExports(program: Program, path: string, scope: ScriptScope): Exported[] {
  const outer = program.read(path);
  const scopes = outer === null ? [scope] : [scope, outer];
  const listed = scope.exports.length > 0 && scope.hasExportList;
  // In declarations, everything in a namespace is exported.
  const implicit = listed
    ? []
    : [...new Set([...scope.names.keys(), ...scope.namespaces.keys()])].map((name) => ({
        name,
        local: name,
      }));
  const names = new Map([...implicit, ...scope.exports].map(({ name, local }) => [name, local]));
  return [...names].flatMap(([name, local]) => {
    // A list may repeat a name of the file around it.
    const target = resolveLocal(
      program,
      path,
      scope.names.has(local) || scope.namespaces.has(local) ? [scope] : scopes.slice(1),
      local,
      { steps: 0 },
    );
    return target === null ? [] : [{ name, target }];
  });
}
