/**
 * Collects the documentation of one version of a library from the best source that has it: the site's own text files, the repository at
 * the version's tag, the published package, rendered archives, or a bounded crawl of a site whose address names the version. It says
 * what it tried; it reads nothing into pages and runs nothing.
 */

import { Failure } from '../../contract/errors.ts';
import type { MakeReference } from '../api/reference-maker.ts';
import type { ArchiveFile } from '../archives/archive-limits.ts';
import type { RegistryRequests, Release, ReleaseFacts, ReleaseQuery } from '../registries/registry-types.ts';
import { classifyFile } from './classify-file.ts';
import { completeRelease, completesRelease } from './complete-release.ts';
import { isSameLine, resolveVersionedSite } from './documentation-site.ts';
import { isJavadocPage, listJavadocDocuments } from './javadoc-pages.ts';
import { readLlmsPages } from './llms-pages.ts';
import { buildFileAddress } from './package-addresses.ts';
import { downloadArchive, type PackedRelease, unpackRelease } from './package-archive.ts';
import { type ReferenceDocuments, readReferenceDocuments } from './reference-documents.ts';
import { listTags, readRepository } from './repository-archive.ts';
import { listFileDocuments, type SourceDocument, toDescriptionDocument } from './source-document.ts';

/** Reads the pages of a site below an address, at most so many. */
export type ReadSite = (
  url: string,
  options: { pagesMax: number; signal: AbortSignal },
) => Promise<{ url: string; markdown: string }[]>;

export type CollectDeps = {
  requests: RegistryRequests;
  readSite: ReadSite;
  /** Finds another release in the registry of the library. */
  resolve: (query: ReleaseQuery) => Promise<Release>;
  /** Null: no API reference is wanted. */
  makeReference: MakeReference | null;
  signal: AbortSignal;
};

export type Collected = {
  facts: ReleaseFacts;
  documents: SourceDocument[];
  /** Bytes that were downloaded. */
  bytes: number;
  /** What was tried and why it gave nothing, worded for people. */
  notes: string[];
};

/** Guides and reference pages beside the README that make another source unnecessary. */
const GUIDES_ENOUGH = 3;
/** Hears of what is left out, worded for people. */
export type Note = (text: string) => void;

const DOCUMENTS_MAX = 3_000;
const SITE_PAGES_MAX = 300;
/** Hosts whose pages say nothing about a package that its registry does not. */
const NO_SITE =
  /(?:^|\.)(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|npmjs\.com|pypi\.org|crates\.io|docs\.rs|pkg\.go\.dev|rubygems\.org|packagist\.org|pub\.dev|apache\.org\/licenses)$/;

/**
 * Rejects only if the package itself is refused or its registry fails; every other source is only noted, and so is a package too large to
 * download, as some with compiled code are.
 */
export async function collectDocuments(given: Release, deps: CollectDeps): Promise<Collected> {
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
  };
  const read = await readPackage(given, deps).catch((error: Error): PackageFiles => {
    if (!isTooLarge(error)) throw error;
    notes.push(`package: ${error.message}`);
    return { files: [], packed: null };
  });
  const release = completeRelease(given, read.files);
  let bytes = read.packed?.body.length ?? 0;
  const attempt: Attempt = async (what, work) => {
    try {
      return await work();
    } catch (error) {
      deps.signal.throwIfAborted();
      notes.push(`${what}: ${(error as Error).message}`);
      return null;
    }
  };
  const own = listPackageDocuments(release, read.files, note);
  const documents: SourceDocument[] = [];
  const llms = await attempt('llms-full.txt', () => readOwnLlms(release, { ...deps, note }));
  if (llms !== null) {
    documents.push(...llms);
    bytes += sumBytes(llms);
  }
  const isEnough = (): boolean => countGuides(documents) >= GUIDES_ENOUGH;
  const { repository } = release;
  const found =
    isEnough() || repository === null
      ? null
      : await attempt('repository', async () => {
          const { name, version, repositoryFolder: folder } = release;
          const files = await readRepository({ repository, tags: listTags(name, version), folder }, deps);
          if (files === null) throw new Error(`${repository} has no tag of ${version}`);
          return files;
        });
  if (found !== null) {
    bytes += found.bytes;
    const { files, addressOf } = found;
    documents.push(...listFileDocuments(files, { source: 'repository', addressOf, note }));
  }
  // The repository has what the package has, unless the package has more.
  if (found === null || countGuides(own) > countGuides(documents)) documents.push(...own);
  const reference = await readReference(release, read.packed, { deps, attempt });
  notes.push(...reference.notes);
  bytes += reference.bytes;
  const rendered = await attempt('javadoc', () => readJavadoc(release, deps));
  if (rendered !== null) {
    documents.push(...dropDescribed(rendered.documents, reference.documents));
    bytes += rendered.bytes;
  }
  if (!isEnough()) {
    const pages = await attempt('site', () => readVersionedSite(release, { ...deps, note }));
    documents.push(...(pages ?? []));
  }
  if (documents.length > DOCUMENTS_MAX)
    notes.push(`the first ${DOCUMENTS_MAX} of ${documents.length} documents are held`);
  return {
    facts: release,
    bytes,
    notes,
    documents: dropRepeatedAddresses([...documents.slice(0, DOCUMENTS_MAX), ...reference.documents]),
  };
}

type Attempt = <Result>(what: string, work: () => Promise<Result>) => Promise<Result | null>;

/** Without an API reference the guides are still worth keeping. */
async function readReference(
  release: Release,
  packed: PackedRelease | null,
  { deps, attempt }: { deps: CollectDeps; attempt: Attempt },
): Promise<ReferenceDocuments> {
  const none: ReferenceDocuments = { documents: [], bytes: 0, notes: [] };
  const { makeReference, requests, resolve, signal } = deps;
  if (makeReference === null) return none;
  const found = await attempt('API reference', () =>
    readReferenceDocuments(release, packed, { makeReference, requests, resolve, signal }),
  );
  return found ?? none;
}

/** Leaves out the rendered pages of classes where the sources have them: they say the same, with less around it. */
function dropDescribed(
  rendered: readonly SourceDocument[],
  reference: readonly SourceDocument[],
): SourceDocument[] {
  const described = new Set(reference.map(({ url }) => url));
  return rendered.filter(({ kind, url }) => !described.has(url) && (kind !== 'api' || described.size === 0));
}

const countGuides = (documents: readonly SourceDocument[]): number =>
  documents.filter(
    ({ kind, path }) => (kind === 'guide' || kind === 'reference') && !/(?:^|\/)readme\b/i.test(path ?? ''),
  ).length;

const sumBytes = (documents: readonly SourceDocument[]): number =>
  documents.reduce((sum, { body }) => sum + body.bytes.length, 0);

function dropRepeatedAddresses(documents: readonly SourceDocument[]): SourceDocument[] {
  const seen = new Set<string>();
  return documents.filter(({ url }) => !seen.has(url) && seen.add(url));
}

const isTooLarge = ({ cause }: Error): boolean =>
  cause instanceof Failure && cause.fetch?.reason === 'too_large';

type PackageFiles = { files: ArchiveFile[]; packed: PackedRelease | null };

/** Downloads the published package; no files if it has none. */
async function readPackage(release: Release, deps: CollectDeps): Promise<PackageFiles> {
  const archive = release.archives.find(({ kind }) => kind === 'package');
  if (archive === undefined) return { files: [], packed: null };
  const packed = await downloadArchive(release, 'package', deps);
  if (packed === null) throw new Error(`${new URL(archive.url).host} does not have the package`);
  return { files: await unpackRelease(release, packed, isWorthKeeping), packed };
}

const isWorthKeeping = (path: string): boolean =>
  classifyFile(path) !== null || completesRelease(path) || /(?:^|\/)conf\.py$/.test(path);

function listPackageDocuments(release: Release, files: readonly ArchiveFile[], note: Note): SourceDocument[] {
  const documents = listFileDocuments(files, {
    source: 'package',
    addressOf: (path) => buildFileAddress(release, path),
    note,
  });
  const { description } = release;
  if (description === null || files.some(({ path }) => /^readme\b/i.test(path))) return documents;
  const page = buildFileAddress(release, 'README');
  const described = toDescriptionDocument(description, {
    url: page,
    source: 'package',
  });
  return described === null ? documents : [described, ...documents];
}

/** The text files of a site are of its newest version; they count for that and its close relatives. */
async function readOwnLlms(release: Release, deps: CollectDeps & { note: Note }): Promise<SourceDocument[]> {
  const { name, documentation, version } = release;
  const host = URL.parse(documentation ?? '')?.hostname ?? '';
  if (documentation === null || NO_SITE.test(host)) return [];
  const pages = await readLlmsPages(documentation, deps);
  if (pages.length === 0 || resolveVersionedSite(documentation, version) !== null) return pages;
  const { version: newest } = await deps.resolve({ name, range: null });
  if (isSameLine(newest, version)) return pages;
  throw new Error(`${host} documents ${newest}, not ${version}`);
}

async function readJavadoc(release: Release, deps: CollectDeps): Promise<PackageDocuments | null> {
  const packed = await downloadArchive(release, 'javadoc', deps);
  if (packed === null) return null;
  const files = await unpackRelease(release, packed, isJavadocPage);
  const addressOf = (path: string): string => buildFileAddress(release, path);
  return { documents: listJavadocDocuments(files, addressOf), bytes: packed.body.length };
}
type PackageDocuments = { documents: SourceDocument[]; bytes: number };

async function readVersionedSite(
  release: Release,
  deps: CollectDeps & { note: Note },
): Promise<SourceDocument[]> {
  const { documentation, version } = release;
  const site = documentation === null ? null : resolveVersionedSite(documentation, version);
  if (site === null || NO_SITE.test(new URL(site).hostname)) return [];
  return readSiteDocuments(site, deps);
}

/** Reads a site within its path as documents. */
export async function readSiteDocuments(
  url: string,
  { readSite, signal, note }: Pick<CollectDeps, 'readSite' | 'signal'> & { note: Note },
): Promise<SourceDocument[]> {
  const pages = await readSite(url, { pagesMax: SITE_PAGES_MAX, signal });
  if (pages.length >= SITE_PAGES_MAX) note(`site: reading ended after ${SITE_PAGES_MAX} pages`);
  return pages.map((page): SourceDocument => {
    const isReference = /\/(?:api|reference)(?:\/|$)/i.test(new URL(page.url).pathname);
    return {
      url: page.url,
      kind: isReference ? 'reference' : 'guide',
      source: 'site',
      body: { bytes: new TextEncoder().encode(page.markdown), contentType: 'text/markdown; charset=utf-8' },
    };
  });
}
