/** Libraries a page documents, as the index keeps them. */
export type PageLibrary = {
  /** Each `ecosystem:name@version`: versions with the same text share a page, and so do libraries of one repository. */
  versions: readonly string[];
  /** `guide`, `reference`, `example`, `changelog` or `api`. */
  kind: string;
  /** Found only by searches that name one of its versions. */
  isPrivate: boolean;
};

/** Restricts a search to pages of any of these versions and, unless empty, of any of these kinds. */
export type LibraryFilter = { versions: readonly string[]; kinds: readonly string[] };

/** Returns whether a page passes. Without a filter every page passes except those of private libraries. */
export function passesLibrary(filter: LibraryFilter | undefined, library: PageLibrary | undefined): boolean {
  if (filter === undefined) return library?.isPrivate !== true;
  if (library === undefined) return false;
  const { versions, kinds } = filter;
  return (
    library.versions.some((version) => versions.includes(version)) &&
    (kinds.length === 0 || kinds.includes(library.kind))
  );
}

/** Returns whether two pages are of one library, but have no version in common. */
export function isOtherVersion(one: PageLibrary | undefined, other: PageLibrary | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.versions.some((version) => other.versions.includes(version))) return false;
  const names = new Set(one.versions.map(stripVersion));
  return other.versions.some((version) => names.has(stripVersion(version)));
}

const stripVersion = (version: string): string => version.slice(0, version.lastIndexOf('@'));

/** The mark of pages that only searches by library may find. */
export const PRIVATE_MARK = 'l:private';

const toVersionMark = (version: string): string => `l:${version}`;
const toKindMark = (kind: string): string => `k:${kind}`;

/** Returns the terms under which the index files a page of a library. */
export function buildLibraryMarks(library: PageLibrary | undefined): string[] {
  if (library === undefined) return [];
  const { versions, kind, isPrivate } = library;
  return [...versions.map(toVersionMark), toKindMark(kind), ...(isPrivate ? [PRIVATE_MARK] : [])];
}

/** Returns a filter as marks: a page must have one of each list. */
export function buildFilterMarks({ versions, kinds }: LibraryFilter): string[][] {
  const named = versions.map(toVersionMark);
  return kinds.length === 0 ? [named] : [named, kinds.map(toKindMark)];
}
