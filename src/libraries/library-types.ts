/** Registries whose packages can be named with a version. */
export const ECOSYSTEMS = ['npm', 'pypi', 'crates', 'go', 'maven', 'gem', 'composer', 'pub'] as const;

export type Ecosystem = (typeof ECOSYSTEMS)[number];

/** Where a library comes from: a registry, a repository, the web, or a folder of this machine. */
export const LIBRARY_KINDS = [...ECOSYSTEMS, 'git', 'web', 'folder'] as const;

export type LibraryKind = (typeof LIBRARY_KINDS)[number];

/** A dependency of a project as its files state it. */
export type Dependency = {
  ecosystem: Ecosystem;
  /** The name in the registry; `group:artifact` for Maven, the module path for Go. */
  name: string;
  /** The exact version of a lock file; null: only a range is stated. */
  version: string | null;
  /** The stated range; null: any version. */
  range: string | null;
  isDirect: boolean;
  isDev: boolean;
};

export const LIBRARY_PAGE_KINDS = ['guide', 'reference', 'example', 'changelog', 'api'] as const;

export type LibraryPageKind = (typeof LIBRARY_PAGE_KINDS)[number];

/** Where the text of a page was found. `code`: the source code of the package; `types`: its package of DefinitelyTyped. */
export const LIBRARY_PAGE_SOURCES = [
  'llms-full',
  'repository',
  'package',
  'javadoc',
  'site',
  'folder',
  'code',
  'types',
] as const;

export type LibraryPageSource = (typeof LIBRARY_PAGE_SOURCES)[number];

/** A page of the documentation of one version of a library. */
export type LibraryPage = {
  ecosystem: LibraryKind;
  library: string;
  version: string;
  kind: LibraryPageKind;
  licence: string | null;
  /** The source address at that version; unique within the library's version. */
  url: string;
  title: string;
  markdown: string;
  source: LibraryPageSource;
};

/** What was asked for cannot be understood or found; the message says what to do. */
export class UnusableRequest extends Error {
  override name = 'UnusableRequest';
}
