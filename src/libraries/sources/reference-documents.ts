/**
 * The API reference of a release as documents: chooses the archive that has its source code, and hands the files that matter to the
 * thread that reads them.
 */
import type { ApiEcosystem } from '../api/api-reference.ts';
import type { MakeReference } from '../api/reference-maker.ts';
import type { PackageReference } from '../api/reference-thread.ts';
import type { ArchiveFile } from '../archives/archive-limits.ts';
import type { Ecosystem, LibraryPageSource } from '../library-types.ts';
import {
  LibraryMissing,
  type RegistryRequests,
  type Release,
  type ReleaseQuery,
} from '../registries/registry-types.ts';
import { buildModuleAddress } from './package-addresses.ts';
import { downloadArchive, type PackedRelease, unpackRelease } from './package-archive.ts';
import { MARKDOWN, type SourceDocument } from './source-document.ts';

type ReferenceDeps = {
  requests: RegistryRequests;
  /** Finds another release in the registry of the library. */
  resolve: (query: ReleaseQuery) => Promise<Release>;
  makeReference: MakeReference;
  signal: AbortSignal;
};

export type ReferenceDocuments = {
  documents: SourceDocument[];
  /** Bytes that were downloaded besides the package. */
  bytes: number;
  notes: string[];
};

const PAGES_MAX = 3_000;
const READ_AS: Partial<Record<Ecosystem, ApiEcosystem>> = {
  npm: 'npm',
  pypi: 'python',
  crates: 'rust',
  go: 'go',
  maven: 'jvm',
};
const SOURCES: Record<ApiEcosystem, RegExp> = {
  npm: /^package\.json$|^(?!(?:.*\/)?node_modules\/).*\.[cm]?[jt]sx?$/,
  python: /\.pyi?$|^(?:PKG-INFO|pyproject\.toml|setup\.cfg)$/,
  rust: /\.rs$|(?:^|\/)Cargo\.toml$/,
  go: /\.go$|(?:^|\/)go\.mod$/,
  jvm: /\.(?:java|kt)$/,
};
const DECLARATIONS = /\.d\.(?:[\w-]+\.)?[cm]?ts$/;

/** `packed` is the published package, null if it has none. Rejects if the sources are refused or cannot be read in time. */
export async function readReferenceDocuments(
  release: Release,
  packed: PackedRelease | null,
  deps: ReferenceDeps,
): Promise<ReferenceDocuments> {
  const notes: string[] = [];
  const ecosystem = READ_AS[release.ecosystem];
  if (ecosystem === undefined) return { documents: [], bytes: 0, notes };
  const sources = release.ecosystem === 'maven' ? await downloadArchive(release, 'sources', deps) : packed;
  let bytes = sources === packed ? 0 : (sources?.body.length ?? 0);
  let files = sources === null ? [] : await unpackSources(release, sources, ecosystem);
  let source: LibraryPageSource = 'code';
  if (ecosystem === 'npm' && !files.some(({ path }) => DECLARATIONS.test(path))) {
    const types = await readTypes(release, deps).catch((error: Error): null => {
      deps.signal.throwIfAborted();
      if (!(error instanceof LibraryMissing)) notes.push(`types: ${error.message}`);
      return null;
    });
    if (types !== null) {
      files = types.files;
      bytes += types.bytes;
      source = 'types';
      notes.push(`API reference: of ${types.name}`);
    }
  }
  if (files.length === 0) throw new Error('there is no source code that can be read');
  // Modules older than go.mod say nowhere what they are called.
  if (ecosystem === 'go' && !files.some(({ path }) => path === 'go.mod'))
    files.push({ path: 'go.mod', bytes: new TextEncoder().encode(`module ${release.name}\n`) });
  const reference = await deps.makeReference({ ecosystem, files }, deps.signal);
  notes.push(...describeGaps(reference));
  return { documents: toDocuments(release, reference, source), bytes, notes };
}

const unpackSources = (
  release: Release,
  packed: PackedRelease,
  ecosystem: ApiEcosystem,
): Promise<ArchiveFile[]> => unpackRelease(release, packed, (path) => SOURCES[ecosystem].test(path));

/**
 * Reads the package of DefinitelyTyped (`@types/node`, `@types/babel__core`). Its minor versions follow those of the library, so that the
 * newest which is not above the library's is the nearest; failing that, the newest of all.
 */
async function readTypes(
  { name, version }: Release,
  deps: ReferenceDeps,
): Promise<{ files: ArchiveFile[]; bytes: number; name: string } | null> {
  const types = `@types/${name.replace(/^@([^/]+)\//, '$1__')}`;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const release = await deps
    .resolve({ name: types, range: `<${major}.${minor + 1}.0-0` })
    .catch((error: Error) => {
      if (!(error instanceof LibraryMissing)) throw error;
      return deps.resolve({ name: types, range: null });
    });
  const packed = await downloadArchive(release, 'package', deps);
  if (packed === null) return null;
  const files = await unpackSources(release, packed, 'npm');
  return { files, bytes: packed.body.length, name: `${types} ${release.version}` };
}

function describeGaps({ pages, skipped }: PackageReference): string[] {
  const [first] = skipped;
  const more = skipped.length > 1 ? ` (and ${skipped.length - 1} more)` : '';
  return [
    ...(first === undefined ? [] : [`API reference: ${first.path}: ${first.reason}${more}`]),
    ...(pages.length > PAGES_MAX
      ? [`API reference: the first ${PAGES_MAX} of ${pages.length} pages are held`]
      : []),
  ];
}

function toDocuments(
  release: Release,
  { pages }: PackageReference,
  source: LibraryPageSource,
): SourceDocument[] {
  return pages.slice(0, PAGES_MAX).map(({ module, title, fragment, markdown }) => ({
    url: buildModuleAddress(release, fragment),
    kind: 'api',
    source,
    title: module.includes(release.name) ? title : `${release.name} ${title}`,
    body: { bytes: new TextEncoder().encode(markdown), contentType: MARKDOWN },
  }));
}
