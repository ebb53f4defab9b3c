/**
 * What is held, by the names that people and agents use: it finds libraries, chooses those that a search is restricted to, and says which
 * library each result is from. It promises that nobody is told of a private library who may not see it. It neither searches pages nor
 * fetches anything.
 */
import { basename } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import type { Store } from '../../platform/store/open-store.ts';
import type { LibraryFilter } from '../../text/query/library-filter.ts';
import { formatKey, type LibraryRow, listLibraries, listSharers } from '../held/library-rows.ts';
import { listProjects, listUses } from '../held/project-rows.ts';
import { listReadableProjects, listReaders } from '../held/reader-rows.ts';
import { LIBRARY_KINDS, type LibraryPageKind } from '../library-types.ts';
import {
  type AskedLibrary,
  chooseHeldVersion,
  compareVersions,
  matchLibraries,
  type NameMatch,
  parseAsked,
} from './library-names.ts';

/** Whoever asks. Private libraries are for those who use the server as their own, and for the keys that they were added for. */
export type LibraryViewer = { kind: 'server' } | { kind: 'key'; keyId: string } | { kind: 'anyone' };

/** A library with all versions of it that are held, the newest first. */
export type CatalogLibrary = {
  ecosystem: string;
  name: string;
  versions: string[];
  licence: string | null;
  homepage: string | null;
  repository: string | null;
  isPrivate: boolean;
  /** Pages of the newest version. */
  pages: number;
};

export type FoundLibrary = CatalogLibrary & { match: NameMatch };

/** What a search is restricted to: names with or without versions, kinds of pages, and the project whose versions count. */
export type LibraryWish = {
  libraries: readonly string[];
  kinds: readonly LibraryPageKind[];
  /** The folder of a project that was added, or its last part. */
  project: string | null;
};

/** One version that was chosen for a search. */
export type ChosenLibrary = Pick<CatalogLibrary, 'ecosystem' | 'name'> & {
  version: string;
  licence: string | null;
  /** Why this version. */
  by: 'asked' | 'project' | 'newest';
};

export type LibraryChoice = {
  filter: LibraryFilter;
  libraries: ChosenLibrary[];
  /** What the asker should know: another spelling was meant, or a name means several libraries. */
  notes: string[];
};

/** The place of a result in the version that was searched. */
export type ResultPlace = ChosenLibrary & { kind: string; url: string };

export type LibraryCatalog = {
  /** The libraries that a name may mean, best first; all that are held without a name. */
  find(name: string | null, viewer: LibraryViewer): Promise<FoundLibrary[]>;
  /** Throws `Failure('validation_error')` for a name, version or project that nothing is held of, with what is. */
  choose(wish: LibraryWish, viewer: LibraryViewer): Promise<LibraryChoice>;
  /** Finds the places of pages of the index in the versions of a choice; a page without one has left them. */
  places(urls: readonly string[], choice: LibraryChoice): Promise<Map<string, ResultPlace>>;
  /** The names of the projects that were added. */
  projects(viewer: LibraryViewer): Promise<string[]>;
};

/** A name that fits more libraries than this only by a part must be written in full. */
const MEANT_MAX = 3;
const NAMED_MAX = 8;

export function createLibraryCatalog(store: Store): LibraryCatalog {
  const list = async (viewer: LibraryViewer): Promise<HeldRows> => {
    const readers = viewer.kind === 'key' ? await listReaders(store) : null;
    const isShown = ({ id, is_private }: LibraryRow): boolean =>
      is_private === 0 ||
      viewer.kind === 'server' ||
      (viewer.kind === 'key' && readers?.get(id)?.has(viewer.keyId) === true);
    const rows = (await listLibraries(store)).filter((row) => row.state === 'held' && isShown(row));
    return { rows, libraries: groupVersions(rows) };
  };
  return {
    async find(name, viewer) {
      const { libraries } = await list(viewer);
      if (name === null) return libraries.map((library) => ({ ...library, match: 'name' as const }));
      const asked = parseAsked(name, LIBRARY_KINDS);
      return matchLibraries(libraries, asked).map(({ library, match }) => ({ ...library, match }));
    },
    async choose({ libraries: names, kinds, project }, viewer) {
      const held = await list(viewer);
      const used = project === null ? null : await findUsed(store, project, { held, viewer });
      const notes: string[] = [];
      const chosen =
        names.length === 0
          ? chooseAll(held, used)
          : names.flatMap((name) => chooseNamed(name, { held, used, notes }));
      const libraries = [...new Map(chosen.map((one) => [toKey(one), one])).values()];
      return { filter: { versions: libraries.map(toKey), kinds }, libraries, notes };
    },
    async places(urls, { libraries, filter }) {
      const chosen = new Map(libraries.map((one) => [toKey(one), one]));
      const found = new Map<string, ResultPlace>();
      for (const [pageUrl, sharers] of await listSharers(store, null, urls)) {
        const place = sharers.find((one) => chosen.has(formatKey(one)));
        const library = place === undefined ? undefined : chosen.get(formatKey(place));
        if (place === undefined || library === undefined) continue;
        if (filter.kinds.length > 0 && !filter.kinds.includes(place.kind)) continue;
        found.set(pageUrl, { ...library, kind: place.kind, url: place.url });
      }
      return found;
    },
    projects: (viewer) => listPaths(store, viewer),
  };
}

type HeldRows = { rows: LibraryRow[]; libraries: CatalogLibrary[] };

/** `npm:fastify@5.1.0`. */
const toKey = ({ ecosystem, name, version }: Pick<ChosenLibrary, 'ecosystem' | 'name' | 'version'>): string =>
  formatKey({ ecosystem, name, version });

function groupVersions(rows: readonly LibraryRow[]): CatalogLibrary[] {
  const groups = Map.groupBy(rows, ({ ecosystem, name }) => `${ecosystem}:${name}`);
  return [...groups.values()].flatMap((group) => {
    const ordered = group.toSorted((one, other) => compareVersions(other.version, one.version));
    const [newest] = ordered;
    if (newest === undefined) return [];
    const { ecosystem, name, licence, homepage, repository, pages } = newest;
    const isPrivate = group.some(({ is_private }) => is_private === 1);
    const versions = ordered.map(({ version }) => version);
    return [{ ecosystem, name, versions, licence, homepage, repository, isPrivate, pages }];
  });
}

/** Lists the folders of the projects that somebody may know of. */
async function listPaths(store: Store, viewer: LibraryViewer): Promise<string[]> {
  if (viewer.kind === 'anyone') return [];
  if (viewer.kind === 'key') return listReadableProjects(store, viewer.keyId);
  return (await listProjects(store)).map(({ path }) => path);
}

/** Finds the rows of a project's libraries: those of its lock file. */
async function findUsed(
  store: Store,
  project: string,
  { held, viewer }: { held: HeldRows; viewer: LibraryViewer },
): Promise<LibraryRow[]> {
  const paths = await listPaths(store, viewer);
  const wanted = project.replace(/(?<=[^/])\/{1,9}$/, '');
  const found = paths.filter(
    (path) => path === wanted || (!wanted.includes('/') && basename(path) === wanted),
  );
  const [path] = found;
  if (path === undefined || found.length > 1) {
    const known = paths.length === 0 ? 'none was added' : `added: ${paths.slice(0, NAMED_MAX).join(', ')}`;
    const problem = found.length > 1 ? `several projects are called ${project}` : `no such project; ${known}`;
    throw createFieldFailure('project', problem);
  }
  const uses = await listUses(store);
  return held.rows.filter(({ id }) => uses.get(id)?.includes(path) === true);
}

function chooseAll({ libraries, rows }: HeldRows, used: readonly LibraryRow[] | null): ChosenLibrary[] {
  if (used !== null) return used.map((row) => toChosen(row, 'project'));
  return libraries.flatMap(({ ecosystem, name, versions }) => {
    const version = chooseHeldVersion(versions, null);
    const row = rows.find(
      (one) => one.ecosystem === ecosystem && one.name === name && one.version === version,
    );
    return row === undefined ? [] : [toChosen(row, 'newest')];
  });
}

const toChosen = (
  { ecosystem, name, version, licence }: LibraryRow,
  by: ChosenLibrary['by'],
): ChosenLibrary => ({ ecosystem, name, version, licence, by });

type Naming = { held: HeldRows; used: readonly LibraryRow[] | null; notes: string[] };

function chooseNamed(text: string, naming: Naming): ChosenLibrary[] {
  const { held, used, notes } = naming;
  const asked = parseAsked(text, LIBRARY_KINDS);
  const matches = matchLibraries(held.libraries, asked);
  const best = matches.filter(({ match }) => match === matches[0]?.match).map(({ library }) => library);
  const [match] = matches.map((one) => one.match);
  if (match === undefined) throw createFieldFailure('library', describeUnknown(asked, held));
  const isUsed = ({ ecosystem, name }: CatalogLibrary): boolean =>
    used?.some((row) => row.ecosystem === ecosystem && row.name === name) === true;
  const own = best.filter(isUsed);
  const meant = own.length > 0 ? own : best;
  const written = meant.map(({ ecosystem, name }) => `${ecosystem}:${name}`);
  if (meant.length > MEANT_MAX)
    throw createFieldFailure(
      'library',
      `"${asked.name}" may mean ${joinNames(written)}; write one of them in full`,
    );
  if (meant.length > 1)
    notes.push(`"${asked.name}" means ${joinNames(written)} here; name one of them to search only that.`);
  else if (match !== 'name') notes.push(`"${asked.name}" was taken to mean ${written[0]}.`);
  return meant.map((library) => chooseVersion(library, asked, naming));
}

function chooseVersion(library: CatalogLibrary, asked: AskedLibrary, { held, used }: Naming): ChosenLibrary {
  const { ecosystem, name, versions } = library;
  const isOwn = (row: LibraryRow): boolean => row.ecosystem === ecosystem && row.name === name;
  const own = asked.version === null ? (used?.filter(isOwn) ?? []) : [];
  const candidates = own.length > 0 ? own.map(({ version }) => version) : versions;
  const version = chooseHeldVersion(candidates, asked.version);
  const row = held.rows.find((one) => isOwn(one) && one.version === version);
  if (row === undefined)
    throw createFieldFailure(
      'library',
      `${ecosystem}:${name} is not held at ${asked.version}; held: ${joinNames(versions)}`,
    );
  return toChosen(row, asked.version !== null ? 'asked' : own.length > 0 ? 'project' : 'newest');
}

function describeUnknown({ ecosystem, name }: AskedLibrary, { libraries }: HeldRows): string {
  const asked = ecosystem === null ? name : `${ecosystem}:${name}`;
  const elsewhere = ecosystem === null ? [] : matchLibraries(libraries, { ecosystem: null, name });
  const similar = elsewhere.map(({ library }) => library);
  const begins = libraries.filter((one) => one.name.toLowerCase().includes(name.toLowerCase().slice(0, 3)));
  const suggested = [...new Set([...similar, ...begins])].map((one) => `${one.ecosystem}:${one.name}`);
  const help =
    suggested.length > 0
      ? `held are ${joinNames(suggested)}`
      : libraries.length === 0
        ? 'none is held yet'
        : 'none that is held has a similar name';
  return `no library "${asked}" is held; ${help}. Its operator adds libraries: sanderling docs add`;
}

function joinNames(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  return `${names.slice(0, NAMED_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function createFieldFailure(field: string, message: string): Failure {
  return new Failure('validation_error', `${field}: ${message}`, { fields: [{ field, message }] });
}
