/**
 * The documentation of the libraries that projects depend on, at their exact versions, in the local index. It resolves what was asked
 * for, fetches what is wanted and removes what nothing uses any more; a run that is killed is continued by the next. It does not search.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LocalIndex } from '../index/local-index-types.ts';
import type { Store } from '../platform/store/open-store.ts';
import type { MakeReference } from './api/reference-maker.ts';
import { type KeepDeps, keepDocuments, removeLibrary, toKey } from './fetch-library.ts';
import { countEvicted } from './held/evicted-pages.ts';
import {
  addLibrary,
  countKinds,
  dropSpec,
  type FetchedLibrary,
  formatKey,
  type LibraryKey,
  type LibraryRow,
  listLibraries,
  listPages,
  type PageRow,
  saveFailed,
  setState,
} from './held/library-rows.ts';
import {
  dropProject,
  type HeldProject,
  listProjects,
  listUses,
  type ProjectChoice,
  saveProject,
} from './held/project-rows.ts';
import { listOwnReaders, listReaders, saveReaders } from './held/reader-rows.ts';
import { readLibraryFile, writeLibraryFile } from './library-file.ts';
import { type Dependency, type Ecosystem, UnusableRequest } from './library-types.ts';
import { type Project, readProject } from './projects/read-project.ts';
import { isPackageName, isVersion, type NamedSpec, readSpec } from './projects/read-spec.ts';
import type { Registry, RegistryRequests, Release, ReleaseQuery } from './registries/registry-types.ts';
import { type Collected, collectDocuments, type ReadSite } from './sources/collect-documents.ts';
import { collectNamed, nameSpec } from './sources/collect-named.ts';

/** Maximum libraries that are fetched at a time; each may hold an archive in memory. */
const LIBRARIES_AT_ONCE = 4;
const RESOLVED_AT_ONCE = 8;
/** A library that failed is tried again by itself after this time. */
const FAILED_MS = 24 * 3_600_000;

type LibrariesDeps = Omit<KeepDeps, 'index'> & {
  index: KeepDeps['index'] & Pick<LocalIndex, 'list' | 'rebuilding'>;
  registries: Record<Ecosystem, Registry>;
  requests: RegistryRequests;
  readSite: ReadSite;
  /** Null: no API reference is wanted. */
  makeReference: MakeReference | null;
  /** Nobody is asked: what is held counts, and the rest is named. */
  isOffline: boolean;
};

type LibraryEvent = {
  /** `ecosystem:name@version`. */
  library: string;
  done: number;
  total: number;
  pages: number;
};

export type LibraryRunOptions = { signal: AbortSignal; onEvent: (event: LibraryEvent) => void };

export type LibraryOutcome = LibraryKey & { fetched: FetchedLibrary | null; problem: string | null };

export type LibrariesSummary = {
  outcomes: LibraryOutcome[];
  removed: LibraryKey[];
  /** Libraries that were held already. */
  unchanged: number;
  /** What could not be resolved, worded for people. */
  problems: string[];
};

/** What is added by name or with a project, and the ids of the keys it is for; none: for the server. */
export type AddChoice = ProjectChoice & { keyIds: string[] };

export type HeldLibrary = LibraryRow & {
  projects: string[];
  kinds: Record<string, number>;
  /** Keys that see it although it is private. */
  keyIds: string[];
  /** Pages that the index has evicted since. */
  evicted: number;
};

export type Libraries = {
  add(specs: readonly string[], choice: AddChoice, options: LibraryRunOptions): Promise<LibrariesSummary>;
  /** Follows the lock files of these projects, or of all. */
  sync(paths: readonly string[], options: LibraryRunOptions): Promise<LibrariesSummary>;
  /** Resolves again what was asked for by name, and fetches these again; all if none is named. */
  update(names: readonly string[], options: LibraryRunOptions): Promise<LibrariesSummary>;
  remove(names: readonly string[], options: LibraryRunOptions): Promise<LibrariesSummary>;
  /** Writes these libraries, or all, into one file for another machine; resolves to how many there are, with their pages. */
  exportTo(path: string, names: readonly string[]): Promise<{ libraries: number; pages: number }>;
  /** Adds the libraries of such a file, without asking anybody. */
  importFrom(path: string, options: LibraryRunOptions): Promise<{ libraries: number; pages: number }>;
  list(): Promise<HeldLibrary[]>;
  /** The libraries of a name with their pages. */
  show(name: string): Promise<{ library: HeldLibrary; pages: PageRow[] }[]>;
};

export function createLibraries(deps: LibrariesDeps): Libraries {
  const { store } = deps;
  return {
    async add(specs, { keyIds, ...choice }, options) {
      const summary = createSummary();
      const read = specs.map(readSpec);
      for (const spec of read) {
        if (spec.kind !== 'project') await addNamed(spec, keyIds, { deps, options, summary });
        else {
          const id = await addProject(spec.path, choice, { deps, options, summary });
          await saveReaders(store, { column: 'project_id', id }, keyIds);
        }
      }
      return finishRun(summary, { deps, options, retriesFailed: true });
    },
    async sync(paths, options) {
      const summary = createSummary();
      const projects = await listProjects(store);
      const wanted = paths.length === 0 ? projects : paths.map((path) => findProject(projects, path));
      for (const { path, choice } of wanted) {
        // A project that is gone or damaged keeps what it had, and does not hold up the others.
        const problem = await addProject(path, choice, { deps, options, summary }).catch(
          (error: Error) => error,
        );
        options.signal.throwIfAborted();
        if (problem instanceof Error) summary.problems.push(`${path}: ${problem.message}`);
      }
      return finishRun(summary, { deps, options, retriesFailed: false });
    },
    async update(names, options) {
      const summary = createSummary();
      const rows = await findLibraries(deps, names);
      for (const row of rows) {
        if (row.spec !== null) await renewNamed(row, { deps, options, summary });
        if (!deps.isOffline && (names.length > 0 || row.state === 'failed'))
          await setState(store, row.id, 'wanted');
      }
      return finishRun(summary, { deps, options, retriesFailed: true });
    },
    async remove(names, options) {
      const summary = createSummary();
      const uses = await listUses(store);
      for (const row of await findLibraries(deps, names)) {
        const projects = uses.get(row.id) ?? [];
        if (row.spec !== null) await dropNamed(store, row);
        if (projects.length > 0)
          summary.problems.push(`${formatKey(row)} stays: ${projects.join(', ')} uses it`);
      }
      const projects = await listProjects(store);
      for (const name of names) {
        const project = projects.find(({ path }) => path === name);
        if (project !== undefined) await dropProject(store, project.id);
      }
      return finishRun(summary, { deps, options, retriesFailed: false });
    },
    async exportTo(path, names) {
      const held = (await findLibraries(deps, names)).filter(({ state }) => state === 'held');
      return { libraries: held.length, pages: await writeLibraryFile(path, held, deps) };
    },
    async importFrom(path, { signal, onEvent }) {
      const counts = { libraries: 0, pages: 0 };
      await readLibraryFile(path, deps, {
        signal,
        onLibrary(key, pages) {
          counts.libraries += 1;
          counts.pages += pages;
          onEvent({ library: formatKey(key), done: counts.libraries, total: counts.libraries, pages });
        },
      });
      return counts;
    },
    list: () => listHeld(deps),
    async show(name) {
      const held = (await listHeld(deps)).filter((row) => matchesName(row, name));
      return Promise.all(
        held.map(async (library) => ({ library, pages: await listPages(store, library.id) })),
      );
    },
  };
}

const createSummary = (): LibrariesSummary => ({ outcomes: [], removed: [], unchanged: 0, problems: [] });

type Run = { deps: LibrariesDeps; options: LibraryRunOptions; summary: LibrariesSummary };

/** Records what a project uses now, and returns its id. A project whose files are unchanged is not resolved again. */
async function addProject(
  path: string,
  choice: ProjectChoice,
  { deps, options, summary }: Run,
): Promise<number> {
  const { store, clock } = deps;
  const project = readProject(path);
  const stamp = computeStamp(project);
  const held = (await listProjects(store)).find((one) => one.path === project.path);
  if (held?.stamp === stamp && JSON.stringify(held.choice) === JSON.stringify(choice)) return held.id;
  const chosen = chooseDependencies(project, choice, summary);
  const uses: (LibraryKey & Pick<Dependency, 'isDirect' | 'isDev'>)[] = [];
  await forEachAtOnce(
    chosen,
    RESOLVED_AT_ONCE,
    async ({ ecosystem, name, version, range, isDirect, isDev }) => {
      const { poms } = project;
      try {
        const exact =
          version ??
          (await deps.registries[ecosystem].resolve({ name, range, poms }, options.signal)).version;
        uses.push({ ecosystem, name, version: exact, isDirect, isDev });
      } catch (error) {
        options.signal.throwIfAborted();
        summary.problems.push(`${ecosystem}:${name}: ${(error as Error).message}`);
      }
    },
  );
  // A project of which something could not be resolved is read again by the next run.
  const isComplete = uses.length === chosen.length;
  return saveProject(store, {
    path: project.path,
    choice,
    stamp: isComplete ? stamp : '',
    uses,
    now: clock.now(),
  });
}

function computeStamp({ files }: Project): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** Direct dependencies without those for development, unless the choice says otherwise. */
function chooseDependencies(
  { dependencies }: Project,
  { all, dev, only, skip }: ProjectChoice,
  summary: LibrariesSummary,
): Dependency[] {
  const isNamed = (names: readonly string[], name: string): boolean =>
    names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  return dependencies.filter(({ ecosystem, name, version, isDirect, isDev }) => {
    if (isNamed(skip, name) || (only.length > 0 && !isNamed(only, name))) return false;
    if (only.length === 0 && ((!all && !isDirect) || (!dev && isDev))) return false;
    if (isPackageName(ecosystem, name) && (version === null || isVersion(version))) return true;
    summary.problems.push(
      `${ecosystem}:${JSON.stringify(name)}: is not the name and the version of a package`,
    );
    return false;
  });
}

/** Records what was asked for by name; a range becomes the version that it means now. */
async function addNamed(
  spec: NamedSpec,
  keyIds: readonly string[],
  { deps, options, summary }: Run,
): Promise<void> {
  const { store, clock } = deps;
  try {
    const key = await resolveSpec(spec, deps, options.signal);
    const row = await addLibrary(store, key, { spec: JSON.stringify(spec), now: clock.now() });
    const isOwned = (await listOwnReaders(store, row.id)).length > 0;
    await saveReaders(store, { column: 'library_id', id: row.id }, keyIds);
    // It may have been private for these keys only.
    if (isOwned && keyIds.length === 0 && !deps.isOffline) await setState(store, row.id, 'wanted');
  } catch (error) {
    options.signal.throwIfAborted();
    summary.problems.push((error as Error).message);
  }
}

async function resolveSpec(spec: NamedSpec, deps: LibrariesDeps, signal: AbortSignal): Promise<LibraryKey> {
  if (spec.kind !== 'package') return nameSpec(spec);
  const { ecosystem, name, range } = spec;
  const release = await deps.registries[ecosystem].resolve({ name, range }, signal);
  return { ecosystem, name: release.name, version: release.version };
}

/** Resolves a name again; if it means another version now, that one takes its place. */
async function renewNamed(row: LibraryRow, run: Run): Promise<void> {
  const { deps, options, summary } = run;
  // Written by `addNamed`.
  const spec = JSON.parse(row.spec ?? '') as NamedSpec;
  try {
    const key = await resolveSpec(spec, deps, options.signal);
    if (key.version === row.version) return;
    const { id } = await addLibrary(deps.store, key, { spec: row.spec, now: deps.clock.now() });
    const keyIds = await listOwnReaders(deps.store, row.id);
    if (keyIds.length > 0) await saveReaders(deps.store, { column: 'library_id', id }, keyIds);
    await dropNamed(deps.store, row);
  } catch (error) {
    options.signal.throwIfAborted();
    summary.problems.push(`${formatKey(row)}: ${(error as Error).message}`);
  }
}

/** Takes back that a library was added by name, for whomever. */
async function dropNamed(store: Store, { id }: LibraryRow): Promise<void> {
  await dropSpec(store, id);
  await saveReaders(store, { column: 'library_id', id }, []);
}

/** Removes what nothing uses, and fetches what is wanted, also what an earlier run left. */
async function finishRun(
  summary: LibrariesSummary,
  {
    deps,
    options,
    retriesFailed,
  }: { deps: LibrariesDeps; options: LibraryRunOptions; retriesFailed: boolean },
): Promise<LibrariesSummary> {
  const { store, clock } = deps;
  const uses = await listUses(store);
  const wanted: LibraryRow[] = [];
  for (const row of await listLibraries(store)) {
    const isUsed = row.spec !== null || uses.has(row.id);
    const mayRetry = retriesFailed || clock.now() - (row.fetched_at ?? 0) >= FAILED_MS;
    if (!isUsed || row.state === 'removing') {
      await removeLibrary(row, deps);
      summary.removed.push(toKey(row));
    } else if (row.state === 'wanted' || (row.state === 'failed' && mayRetry)) wanted.push(row);
    else summary.unchanged += 1;
  }
  if (deps.isOffline)
    for (const row of wanted.filter((one) => !isOfThisMachine(one)))
      summary.problems.push(`${formatKey(row)}: is not held, and nobody is asked offline`);
  const fetchable = deps.isOffline ? wanted.filter(isOfThisMachine) : wanted;
  let done = 0;
  await forEachAtOnce(fetchable, LIBRARIES_AT_ONCE, async (row) => {
    const report = (pages: number): void =>
      options.onEvent({ library: formatKey(row), done, total: fetchable.length, pages });
    report(0);
    const outcome = await fetchLibrary(row, { deps, options, report });
    done += 1;
    report(outcome.fetched?.pages ?? 0);
    summary.outcomes.push(outcome);
  });
  return summary;
}

/** A folder is read without a network. */
const isOfThisMachine = ({ ecosystem }: LibraryRow): boolean => ecosystem === 'folder';

async function fetchLibrary(
  row: LibraryRow,
  { deps, options, report }: Omit<Run, 'summary'> & { report: (pages: number) => void },
): Promise<LibraryOutcome> {
  const { clock, store } = deps;
  const key = toKey(row);
  const startedAt = clock.now();
  try {
    const collected = await collect(row, deps, options.signal);
    if (collected.documents.length === 0) throw new Error(describeNothing(collected));
    // What was added for keys is for nobody else, wherever it is from.
    if ((await listOwnReaders(store, row.id)).length > 0) collected.facts.isPrivate = true;
    const kept = await keepDocuments(row, collected, deps, { signal: options.signal, onPages: report });
    return { ...key, problem: null, fetched: { ...kept, took_ms: clock.now() - startedAt } };
  } catch (error) {
    // The library stays wanted.
    options.signal.throwIfAborted();
    const problem = (error as Error).message;
    await saveFailed(store, row.id, { problem, now: clock.now() });
    return { ...key, problem, fetched: null };
  }
}

const describeNothing = ({ notes }: Collected): string => ['no documentation was found', ...notes].join('; ');

function collect(row: LibraryRow, deps: LibrariesDeps, signal: AbortSignal): Promise<Collected> {
  const { requests, readSite, makeReference } = deps;
  // Written by `addNamed`.
  const spec = row.spec === null ? null : (JSON.parse(row.spec) as NamedSpec);
  if (spec !== null && spec.kind !== 'package') return collectNamed(spec, { requests, readSite, signal });
  // Whatever is not named by an address comes from a registry.
  const registry = deps.registries[row.ecosystem as Ecosystem];
  const { name, version } = row;
  const resolve = (query: ReleaseQuery): Promise<Release> => registry.resolve(query, signal);
  return resolve({ name, range: version }).then((release) =>
    collectDocuments(release, { requests, readSite, resolve, makeReference, signal }),
  );
}

/** Runs work for each item, at most so many at a time; the first failure ends it. */
async function forEachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workThrough = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, workThrough));
}

async function listHeld({ store, index }: LibrariesDeps): Promise<HeldLibrary[]> {
  const evicted = await countEvicted({ store, index });
  const uses = await listUses(store);
  const kinds = await countKinds(store);
  const readers = await listReaders(store);
  return (await listLibraries(store)).map((row) => ({
    ...row,
    projects: uses.get(row.id) ?? [],
    kinds: kinds.get(row.id) ?? {},
    keyIds: [...(readers.get(row.id) ?? [])].sort(),
    evicted: evicted.get(row.id) ?? 0,
  }));
}

/** `fastify`, `npm:fastify`, `fastify@5.1.0` and `npm:fastify@5.1.0` name a library. */
function matchesName({ ecosystem, name, version }: LibraryRow, text: string): boolean {
  return [name, `${name}@${version}`, `${ecosystem}:${name}`, `${ecosystem}:${name}@${version}`].includes(
    text,
  );
}

/** Finds the libraries of these names, all if none is given. Throws for a name that nothing has. */
async function findLibraries({ store }: LibrariesDeps, names: readonly string[]): Promise<LibraryRow[]> {
  const rows = await listLibraries(store);
  const paths = new Set((await listProjects(store)).map(({ path }) => path));
  for (const name of names)
    if (!paths.has(name) && !rows.some((row) => matchesName(row, name)))
      throw new UnusableRequest(`${name}: no such library is held; sanderling docs list shows them all`);
  return names.length === 0 ? rows : rows.filter((row) => names.some((name) => matchesName(row, name)));
}

function findProject(projects: readonly HeldProject[], path: string): HeldProject {
  const own = readProject(path).path;
  const project = projects.find((one) => one.path === own);
  if (project === undefined)
    throw new UnusableRequest(`${own}: is not added yet; run sanderling docs add ${path}`);
  return project;
}
