/**
 * Reads the modules of Python packages, from sources and stubs. Public is what `__all__` names, or, without it, every name without a
 * leading underscore; a package also offers what its `__init__` imports from its own modules. Where a module has a stub, signatures
 * are those of the stub and comments those of the source.
 */

import type { ApiModule, Declaration } from '../api-module.ts';
import { canGoOn, LIMITS, type SourceReader, type Trail } from '../source-reader.ts';
import { type PythonFile, readPythonFile } from './python-file.ts';

/** Folders of a source archive that are not installed. */
const BESIDE_SOURCES =
  /^(?:tests?|docs?|doc|examples?|samples?|benchmarks?|bench|scripts?|tools?|ci|tasks|requirements|\.[^/]*|[^/]*\.egg-info|build|dist)$/;
const NOT_IMPORTED =
  /(?:^|\/)(?:tests|testsuite|_vendor|vendored|__pycache__|[^/]*\.(?:dist-info|data|egg-info))\/|(?:^|\/)(?:test_[^/]*|conftest|setup|noxfile|tasks|fabfile|__main__)\.pyi?$/;
const SOURCE_ROOTS = /^(?:src|lib|python)\//;

type PythonModule = PythonFile & { name: string; isPackage: boolean; isStub: boolean };
type Exported = { name: string; owner: PythonModule; declarations: readonly Declaration[] };

export function readPythonModules(source: SourceReader): ApiModule[] {
  const modules = new Map<string, PythonModule>();
  for (const [name, { py, pyi }] of findModuleFiles(source)) {
    const isPackage = /(?:^|\/)__init__\.pyi?$/.test(py ?? pyi ?? '');
    const read = (path: string | null): PythonFile | null =>
      path === null
        ? null
        : source.read(path, 'python', (root, text) =>
            readPythonFile(root, text, { module: name, isPackage }),
          );
    const [stub, code] = [read(pyi), read(py)];
    const file = stub === null ? code : code === null ? stub : takeComments(stub, code);
    if (file !== null) modules.set(name, { ...file, name, isPackage, isStub: stub !== null });
  }
  return describeModules(modules);
}

/** Paths of the source and of the stub of each module that can be imported. */
function findModuleFiles({ paths }: SourceReader): Map<string, { py: string | null; pyi: string | null }> {
  const isArchive = paths.some((path) => /^(?:PKG-INFO|pyproject\.toml|setup\.py|setup\.cfg)$/.test(path));
  const all = new Set(paths);
  const root = isArchive
    ? (paths.find((path) => /^(?:src|lib|python)\/[^/]+(?:\/__init__)?\.pyi?$/.test(path)) ?? '')
    : '';
  const prefix = SOURCE_ROOTS.exec(root)?.[0] ?? '';
  const found = new Map<string, { py: string | null; pyi: string | null }>();
  for (const path of paths) {
    if (!/\.pyi?$/.test(path) || NOT_IMPORTED.test(path) || !path.startsWith(prefix)) continue;
    const own = path.slice(prefix.length).replace(/^([^/]+)-stubs\//, '$1/');
    const segments = own.replace(/\.pyi?$/, '').split('/');
    if (segments.at(-1) === '__init__') segments.pop();
    if (isArchive && prefix === '' && segments.length > 1 && BESIDE_SOURCES.test(segments[0] ?? '')) continue;
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const isInPackage =
      folder === prefix || all.has(`${folder}__init__.py`) || all.has(`${folder}__init__.pyi`);
    if (
      (isArchive && !isInPackage) ||
      segments.length === 0 ||
      !segments.every((part) => /^[^\W\d]\w*$/u.test(part))
    )
      continue;
    const name = segments.join('.');
    const files = found.get(name) ?? { py: null, pyi: null };
    files[path.endsWith('.pyi') ? 'pyi' : 'py'] = path;
    found.set(name, files);
  }
  return found;
}

function takeComments(stub: PythonFile, code: PythonFile): PythonFile {
  const comments = new Map<string, Declaration>();
  const remember = (declaration: Declaration): void => {
    if (declaration.docs !== '' || declaration.deprecated !== null)
      comments.set(declaration.name, declaration);
    for (const member of declaration.members) remember(member);
  };
  for (const declarations of code.names.values())
    for (const declaration of declarations) remember(declaration);
  const complete = (declaration: Declaration): Declaration => {
    const own = declaration.docs === '' ? comments.get(declaration.name) : undefined;
    // Of several overloads the first has the comment.
    comments.delete(declaration.name);
    return {
      ...declaration,
      docs: own?.docs ?? declaration.docs,
      deprecated: own?.deprecated ?? declaration.deprecated,
      place: own === undefined ? declaration.place : 'heading',
      members: declaration.members.map(complete),
    };
  };
  const names = new Map([...stub.names].map(([name, declarations]) => [name, declarations.map(complete)]));
  return {
    ...stub,
    docs: stub.docs === '' ? code.docs : stub.docs,
    deprecated: stub.deprecated ?? code.deprecated,
    names,
  };
}

const isPublicModule = (name: string): boolean => !name.split('.').some((part) => part.startsWith('_'));

function describeModules(modules: ReadonlyMap<string, PythonModule>): ApiModule[] {
  const shown = [...modules.values()].filter(({ name }) => isPublicModule(name));
  const exports = new Map(shown.map((module) => [module, listExports(modules, module)]));
  const homes = new Map<Declaration, string>();
  // First what is declared in a module that can be named, then what only another module offers, the shortest name first.
  for (const [module, exported] of exports)
    for (const { owner, declarations } of exported)
      if (owner === module) for (const declaration of declarations) homes.set(declaration, module.name);
  for (const [module, exported] of [...exports].sort(([one], [other]) => one.name.length - other.name.length))
    for (const { declarations } of exported)
      for (const declaration of declarations)
        if (!homes.has(declaration)) homes.set(declaration, module.name);
  return shown.map((module) => ({
    name: module.name,
    language: 'python',
    docs: module.docs,
    deprecated: module.deprecated,
    declarations: (exports.get(module) ?? []).flatMap(({ name, declarations }) =>
      declarations.map((declaration) => {
        const home = homes.get(declaration);
        const qualified = { ...declaration, name: `${module.name}.${name}` };
        if (home === undefined || home === module.name) return qualified;
        const [summary = ''] = declaration.docs.split('\n\n');
        return {
          ...qualified,
          docs: summary.startsWith('```') ? '' : summary,
          members: [],
          documentedIn: home,
        };
      }),
    ),
  }));
}

function listExports(modules: ReadonlyMap<string, PythonModule>, module: PythonModule): Exported[] {
  const exported: Exported[] = [];
  const known = new Set<string>();
  for (const name of listPublicNames(modules, module, new Set())) {
    const found = known.has(name) ? null : resolveName(modules, module, name, { steps: 0 });
    known.add(name);
    if (found !== null) exported.push({ name, owner: found.owner, declarations: found.declarations });
  }
  return exported;
}

/** In the order of the source, as far as `__all__` does not give one. */
function listPublicNames(
  modules: ReadonlyMap<string, PythonModule>,
  module: PythonModule,
  visited: Set<PythonModule>,
): string[] {
  if (visited.has(module) || visited.size > LIMITS.stepsMax) return [];
  visited.add(module);
  if (module.all !== null) {
    const others = module.all.modules.flatMap((name) => {
      const target = findImportedModule(modules, module, name);
      return target === undefined ? [] : listPublicNames(modules, target, visited);
    });
    return [...module.all.names, ...others];
  }
  const own = [...module.names.keys()].filter((name) => !name.startsWith('_'));
  const [top] = module.name.split('.');
  const imported = [...module.imports]
    .filter(([name, from]) => {
      if (name.startsWith('_') || from.name === null || from.module.split('.')[0] !== top) return false;
      return from.isExported || (module.isPackage && !module.isStub);
    })
    .map(([name]) => name);
  const stars = module.stars.flatMap((name) => {
    const target = modules.get(name);
    return target === undefined ? [] : listPublicNames(modules, target, visited);
  });
  return [...own, ...imported, ...(module.isPackage ? stars : [])];
}

/** The module that a local name stands for, or whose `__all__` it is. */
function findImportedModule(
  modules: ReadonlyMap<string, PythonModule>,
  module: PythonModule,
  name: string,
): PythonModule | undefined {
  const from = module.imports.get(name);
  if (from === undefined) return undefined;
  return modules.get(
    from.name === null || from.name === '__all__' ? from.module : `${from.module}.${from.name}`,
  );
}

function resolveName(
  modules: ReadonlyMap<string, PythonModule>,
  module: PythonModule,
  name: string,
  trail: Trail,
): { owner: PythonModule; declarations: readonly Declaration[] } | null {
  const declarations = module.names.get(name);
  if (declarations !== undefined) return { owner: module, declarations };
  if (!canGoOn(trail)) return null;
  const from = module.imports.get(name);
  if (from !== undefined && from.name !== null) {
    const target = modules.get(from.module);
    return target === undefined || target === module ? null : resolveName(modules, target, from.name, trail);
  }
  for (const star of module.stars) {
    if (!canGoOn(trail)) break;
    const target = modules.get(star);
    const found =
      target === undefined || target === module ? null : resolveName(modules, target, name, trail);
    if (found !== null) return found;
  }
  return null;
}
