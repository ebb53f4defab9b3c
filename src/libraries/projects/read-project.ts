/**
 * Reads what a project depends on from its lock files: which libraries, at which exact versions, directly or not. Where only a
 * manifest is there, it gives the ranges. It reads files of this machine and asks no registry.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Dependency, type Ecosystem, UnusableRequest } from '../library-types.ts';
import { CARGO_LOCK, CARGO_TOML } from './cargo-locks.ts';
import { GO_MOD, GO_SUM } from './go-mod.ts';
import type { LockReader, ReadBeside } from './lock-reader.ts';
import { GRADLE_LOCK, listDecidingPoms, POM } from './maven-project.ts';
import { BUN_LOCK, PACKAGE_JSON, PACKAGE_LOCK, PNPM_LOCK, YARN_LOCK } from './npm-locks.ts';
import { COMPOSER_LOCK, GEMFILE_LOCK, PUBSPEC_LOCK } from './other-locks.ts';
import { PIPFILE_LOCK, POETRY_LOCK, PYPROJECT, REQUIREMENTS, UV_LOCK } from './python-locks.ts';

/** For each ecosystem the first that is there counts: lock files before manifests. */
const READERS: readonly LockReader[] = [
  ...[PACKAGE_LOCK, PNPM_LOCK, YARN_LOCK, BUN_LOCK, PACKAGE_JSON],
  ...[UV_LOCK, POETRY_LOCK, PIPFILE_LOCK, REQUIREMENTS, PYPROJECT],
  ...[CARGO_LOCK, CARGO_TOML, GO_MOD, GO_SUM, GRADLE_LOCK, POM],
  ...[COMPOSER_LOCK, GEMFILE_LOCK, PUBSPEC_LOCK],
];

const FILE_BYTES_MAX = 64 << 20;
const DEPENDENCIES_MAX = 20_000;

export type Project = {
  /** The folder, or the file where one was named. */
  path: string;
  /** The files that were read. */
  files: string[];
  dependencies: Dependency[];
  /** POMs that decide on versions which the project's own leaves open, as `group:artifact`. */
  poms: { name: string; version: string }[];
};

/** Returns whether a path is a file that states dependencies, or a folder with one. */
export function isProject(path: string): boolean {
  if (!existsSync(path)) return false;
  if (statSync(path).isFile()) return findReader(basename(path)) !== null;
  return readdirSync(path).some((name) => findReader(name) !== null);
}

const findReader = (name: string): LockReader | null => READERS.find(({ files }) => files.test(name)) ?? null;

/** Reads a folder or one file. Throws with the file's name if none is there or one is damaged. */
export function readProject(path: string): Project {
  const place = realpathSync(resolve(path));
  const isFolder = statSync(place).isDirectory();
  const folder = isFolder ? place : dirname(place);
  const files = isFolder ? chooseFiles(folder) : [place];
  const beside = createReadBeside(folder);
  const found = new Map<string, Dependency>();
  const poms: Project['poms'] = [];
  for (const file of files) {
    const name = basename(file);
    const reader = findReader(name);
    if (reader === null) throw new UnusableRequest(`${file}: is not a lock file that is known`);
    const text = readText(file);
    try {
      for (const dependency of reader.read(text, beside, name)) mergeDependency(found, dependency);
      if (reader === POM) poms.push(...listDecidingPoms(text));
    } catch (error) {
      throw new UnusableRequest(`${file}: ${(error as Error).message}`, { cause: error });
    }
    if (found.size > DEPENDENCIES_MAX)
      throw new UnusableRequest(`${file}: has more than ${DEPENDENCIES_MAX} dependencies`);
  }
  if (files.length === 0) throw new UnusableRequest(`${folder}: has no lock file that is known`);
  return { path: place, files, dependencies: [...found.values()], poms };
}

/** Chooses for each ecosystem the files of the best reader; several files of requirements are one project. */
function chooseFiles(folder: string): string[] {
  const names = readdirSync(folder).sort();
  const chosen = new Map<Ecosystem, string[]>();
  for (const reader of READERS) {
    const own = names.filter((name) => reader.files.test(name) && statSync(join(folder, name)).isFile());
    if (own.length > 0 && !chosen.has(reader.ecosystem)) chosen.set(reader.ecosystem, own);
  }
  return [...chosen.values()].flat().map((name) => join(folder, name));
}

/** A dependency that two files state is direct if one says so, and for development only if both say so. */
function mergeDependency(found: Map<string, Dependency>, dependency: Dependency): void {
  const { ecosystem, name, version, range } = dependency;
  const key = `${ecosystem}:${name}@${version ?? range ?? ''}`;
  const known = found.get(key);
  found.set(key, {
    ...dependency,
    isDirect: dependency.isDirect || known?.isDirect === true,
    isDev: dependency.isDev && known?.isDev !== false,
  });
}

/** Reads files of the same folder or below it only: a requirements file may name any path. */
function createReadBeside(folder: string): ReadBeside {
  return (name) => {
    const path = resolve(folder, name);
    if (!path.startsWith(`${folder}${sep}`) || !existsSync(path)) return null;
    return realpathSync(path).startsWith(`${folder}${sep}`) ? readText(path) : null;
  };
}

function readText(path: string): string {
  const { size } = statSync(path);
  if (size > FILE_BYTES_MAX) throw new UnusableRequest(`${path}: is larger than ${FILE_BYTES_MAX >> 20} MB`);
  return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
}
