import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArchiveFile } from '../archives/archive-limits.ts';
import { ARCHIVE_LIMITS } from '../archives/archive-limits.ts';
import type { LibraryKind } from '../library-types.ts';
import type { NamedSpec } from '../projects/read-spec.ts';
import type { ReleaseFacts } from '../registries/registry-types.ts';
import { type CollectDeps, type Collected, type Note, readSiteDocuments } from './collect-documents.ts';
import { readLlmsFile } from './llms-pages.ts';
import { readRepository } from './repository-archive.ts';
import { listFileDocuments, type SourceDocument } from './source-document.ts';

type DirectSpec = Exclude<NamedSpec, { kind: 'package' }>;
type NamedDeps = Pick<CollectDeps, 'requests' | 'readSite' | 'signal'>;
type NotingDeps = NamedDeps & { note: Note };

/** Branches that are tried where no tag is named. */
const BRANCHES = ['HEAD', 'main', 'master'];
const FOLDER_FILES_MAX = 20_000;

/** Names a library that no registry has: by its repository, its site or its folder. */
export function nameSpec(spec: DirectSpec): { ecosystem: LibraryKind; name: string; version: string } {
  switch (spec.kind) {
    case 'git': {
      const { pathname } = new URL(spec.address);
      const name = [pathname.slice(1), ...(spec.folder === null ? [] : [spec.folder])].join('/');
      return { ecosystem: 'git', name, version: spec.tag ?? 'newest' };
    }
    case 'llms':
    case 'site': {
      const { host, pathname } = new URL(spec.url);
      const path = pathname.replace(/\/[^/]*$/, '');
      return { ecosystem: 'web', name: `${host}${spec.kind === 'site' ? path : ''}`, version: 'newest' };
    }
    case 'folder':
      return { ecosystem: 'folder', name: basename(spec.path), version: 'local' };
  }
}

/** Collects the documents of a repository, a site, a text file or a folder that was named itself. */
export async function collectNamed(spec: DirectSpec, deps: NamedDeps): Promise<Collected> {
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
  };
  const { documents, bytes } = await readSpecDocuments(spec, { ...deps, note });
  const address = spec.kind === 'folder' ? null : spec.kind === 'git' ? spec.address : spec.url;
  const facts: ReleaseFacts = {
    licence: null,
    homepage: address,
    repository: spec.kind === 'git' ? spec.address : null,
    isPrivate: address === null || deps.requests.isNamed(address),
  };
  return { facts, documents, bytes, notes };
}

type SpecDocuments = { documents: SourceDocument[]; bytes: number };

async function readSpecDocuments(spec: DirectSpec, deps: NotingDeps): Promise<SpecDocuments> {
  switch (spec.kind) {
    case 'git': {
      const { address, tag, folder } = spec;
      const tags = tag === null ? BRANCHES : [tag, `v${tag}`];
      const found = await readRepository({ repository: address, tags, folder }, deps);
      if (found === null) throw new Error(`${address} has no ${tag ?? 'branch that is known'}`);
      const { files, addressOf } = found;
      const { note } = deps;
      const documents = listFileDocuments(files, { source: 'repository', addressOf, note });
      return { documents, bytes: found.bytes };
    }
    case 'llms':
      return addSize(await readLlmsFile(spec.url, deps));
    case 'site':
      return addSize(await readSiteDocuments(spec.url, deps));
    case 'folder':
      return addSize(readFolder(spec.path, deps.note));
  }
}

const addSize = (documents: SourceDocument[]): SpecDocuments => ({
  documents,
  bytes: documents.reduce((sum, { body }) => sum + body.bytes.length, 0),
});

/** Reads the documentation below a folder; links that lead out of it are not followed. */
function readFolder(folder: string, note: Note): SourceDocument[] {
  const root = realpathSync(folder);
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  if (names.length > FOLDER_FILES_MAX)
    note(`the first ${FOLDER_FILES_MAX} of ${names.length} entries of the folder are read`);
  const files: ArchiveFile[] = [];
  for (const entry of names.slice(0, FOLDER_FILES_MAX)) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(?:mdx?|markdown|rst|txt|adoc|html?|ipynb)$/i.test(entry.name)) continue;
    if (statSync(path).size > ARCHIVE_LIMITS.fileBytesMax) {
      note(`${path}: is larger than ${ARCHIVE_LIMITS.fileBytesMax} bytes`);
      continue;
    }
    // As if the folder were the documentation folder of a package.
    files.push({
      path: ['docs', ...relative(root, path).split(sep)].join('/'),
      bytes: new Uint8Array(readFileSync(path)),
    });
  }
  return listFileDocuments(files, {
    source: 'folder',
    addressOf: (path) => pathToFileURL(join(root, path.slice('docs/'.length))).href,
    note,
  });
}
