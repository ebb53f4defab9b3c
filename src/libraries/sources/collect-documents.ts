/**
 * Collects the documentation of one version of a library from the best source that has it: the site's own text files, the repository at
 * the version's tag, the published package, rendered archives, or a bounded crawl of a site whose address names the version. It says
 * what it tried; it reads nothing into pages and runs nothing.
 */

import { Failure } from '../../contract/errors.ts';
import type { ArchiveFile } from '../archives/archive-limits.ts';
import { ARCHIVE_LIMITS, ArchiveRefused } from '../archives/archive-limits.ts';
import { readArchive, unpackGzipFile } from '../archives/read-archive.ts';
import type {
  RegistryRequests,
  Release,
  ReleaseArchive,
  ReleaseFacts,
} from '../registries/registry-types.ts';
import { classifyFile } from './classify-file.ts';
import { completeRelease, completesRelease } from './complete-release.ts';
import { isSameLine, resolveVersionedSite } from './documentation-site.ts';
import { isJavadocPage, listJavadocDocuments } from './javadoc-pages.ts';
import { readLlmsPages } from './llms-pages.ts';
import { encodePath, listTags, readRepository } from './repository-archive.ts';
import { listFileDocuments, type SourceDocument, toDescriptionDocument } from './source-document.ts';

/** Reads the pages of a site below an address, at most so many. */
export type ReadSite = (
  url: string,
  options: { pagesMax: number; signal: AbortSignal },
) => Promise<{ url: string; markdown: string }[]>;

export type CollectDeps = {
  requests: RegistryRequests;
  readSite: ReadSite;
  /** The newest version of the same library. */
  findNewest: () => Promise<string>;
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
  const read = await readPackage(given, deps).catch((error: Error): PackageFiles => {
    if (!isTooLarge(error)) throw error;
    notes.push(`package: ${error.message}`);
    return { files: [], bytes: 0 };
  });
  const release = completeRelease(given, read.files);
  let { bytes } = read;
  const attempt = async <Result>(what: string, work: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await work();
    } catch (error) {
      deps.signal.throwIfAborted();
      notes.push(`${what}: ${(error as Error).message}`);
      return null;
    }
  };
  const own = listPackageDocuments(release, read.files);
  const documents: SourceDocument[] = [];
  const llms = await attempt('llms-full.txt', () => readOwnLlms(release, deps));
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
    documents.push(...listFileDocuments(found.files, { source: 'repository', addressOf: found.addressOf }));
  }
  // The repository has what the package has, unless the package has more.
  if (found === null || countGuides(own) > countGuides(documents)) documents.push(...own);
  const rendered = await attempt('javadoc', () => readJavadoc(release, deps));
  if (rendered !== null) {
    documents.push(...rendered.documents);
    bytes += rendered.bytes;
  }
  if (!isEnough()) {
    const pages = await attempt('site', () => readVersionedSite(release, deps));
    documents.push(...(pages ?? []));
  }
  return {
    facts: release,
    bytes,
    notes,
    documents: dropRepeatedAddresses(documents).slice(0, DOCUMENTS_MAX),
  };
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

type PackageFiles = { files: ArchiveFile[]; bytes: number };

/** Downloads the published package; no files if it has none. */
async function readPackage(release: Release, deps: CollectDeps): Promise<PackageFiles> {
  const archive = release.archives.find(({ kind }) => kind === 'package');
  if (archive === undefined) return { files: [], bytes: 0 };
  const body = await download(archive, deps);
  if (body === null) throw new Error(`${new URL(archive.url).host} does not have the package`);
  const strip = createStripper(release);
  const keeps = (path: string): boolean => isWorthKeeping(strip(path));
  const name = new URL(archive.url).pathname.split('/').at(-1) ?? archive.url;
  const bytes = release.ecosystem === 'gem' ? await unpackGem(body, name) : body;
  const files = await readArchive(bytes, { name: `${release.name} ${release.version} (${name})`, keeps });
  return { files: files.map((file) => ({ path: strip(file.path), bytes: file.bytes })), bytes: body.length };
}

const isWorthKeeping = (path: string): boolean =>
  classifyFile(path) !== null || completesRelease(path) || /(?:^|\/)conf\.py$/.test(path);

/** Resolves to null if there is no such file. */
async function download(
  { url, authorization }: ReleaseArchive,
  { requests, signal }: CollectDeps,
): Promise<Buffer | null> {
  const { packedBytesMax: bytesMax } = ARCHIVE_LIMITS;
  const { status, body } = await requests.get({ url, authorization, signal, bytesMax });
  if (status === 404) return null;
  if (status !== 200) throw new Error(`${new URL(url).host} answered ${status}`);
  return body;
}

/** A gem is a tar with the package in a tar.gz (https://guides.rubygems.org/gems-with-extensions/). */
async function unpackGem(body: Buffer, name: string): Promise<Uint8Array> {
  const limits = { fileBytesMax: ARCHIVE_LIMITS.packedBytesMax };
  const [data] = await readArchive(body, { name, limits, keeps: (path) => path === 'data.tar.gz' });
  if (data === undefined) throw new ArchiveRefused(`${name} is damaged: it has no data.tar.gz`);
  return unpackGzipFile(data.bytes, { name, bytesMax: ARCHIVE_LIMITS.unpackedBytesMax });
}

/** Returns a function that removes the folders which a registry puts around a package. */
function createStripper({ ecosystem, name, version, archives }: Release): (path: string) => string {
  if (ecosystem === 'go') {
    const prefix = `${name}@${version}/`;
    return (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  }
  const isFlat = ecosystem === 'gem' || ecosystem === 'pub' || /\.whl(?:$|[?#])/.test(archives[0]?.url ?? '');
  return isFlat ? (path) => path : (path) => path.slice(path.indexOf('/') + 1);
}

function listPackageDocuments(release: Release, files: readonly ArchiveFile[]): SourceDocument[] {
  const documents = listFileDocuments(files, {
    source: 'package',
    addressOf: (path) => buildFileAddress(release, path),
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

/** Where a file of a package can be looked at; private packages have the address of their archive only. */
function buildFileAddress({ ecosystem, name, version, isPrivate, archives }: Release, path: string): string {
  const isReadme = /^readme[^/]*$/i.test(path);
  const own = archives.find(({ kind }) => kind === 'package')?.url;
  if (isPrivate && own !== undefined) return `${own.split(/[?#]/, 1)[0]}?file=${encodeURIComponent(path)}`;
  const withFile = (page: string): string => (isReadme ? page : `${page}?file=${encodeURIComponent(path)}`);
  switch (ecosystem) {
    case 'npm':
      return `https://unpkg.com/${name}@${version}/${encodePath(path)}`;
    case 'pypi':
      return withFile(`https://pypi.org/project/${name}/${version}/`);
    case 'crates':
      return `https://docs.rs/crate/${name}/${version}/source/${encodePath(path)}`;
    case 'go':
      return withFile(`https://pkg.go.dev/${name}@${version}`);
    case 'gem':
      return `https://rubydoc.info/gems/${name}/${version}/file/${encodePath(path)}`;
    case 'composer':
      return withFile(`https://packagist.org/packages/${name}/${version}`);
    case 'pub':
      return withFile(`https://pub.dev/packages/${name}/versions/${version}`);
    case 'maven':
      return `https://javadoc.io/static/${name.replace(':', '/')}/${version}/${encodePath(path)}`;
  }
}

/** The text files of a site are of its newest version; they count for that and its close relatives. */
async function readOwnLlms(release: Release, deps: CollectDeps): Promise<SourceDocument[]> {
  const { documentation, version } = release;
  const host = URL.parse(documentation ?? '')?.hostname ?? '';
  if (documentation === null || NO_SITE.test(host)) return [];
  const pages = await readLlmsPages(documentation, deps);
  if (pages.length === 0 || resolveVersionedSite(documentation, version) !== null) return pages;
  const newest = await deps.findNewest();
  if (isSameLine(newest, version)) return pages;
  throw new Error(`${host} documents ${newest}, not ${version}`);
}

async function readJavadoc(release: Release, deps: CollectDeps): Promise<PackageDocuments | null> {
  const archive = release.archives.find(({ kind }) => kind === 'javadoc');
  const body = archive === undefined ? null : await download(archive, deps);
  if (body === null) return null;
  const name = `${release.name} ${release.version} (javadoc)`;
  const files = await readArchive(body, { name, keeps: isJavadocPage });
  const addressOf = (path: string): string => buildFileAddress(release, path);
  return { documents: listJavadocDocuments(files, addressOf), bytes: body.length };
}
type PackageDocuments = { documents: SourceDocument[]; bytes: number };

async function readVersionedSite(release: Release, deps: CollectDeps): Promise<SourceDocument[]> {
  const { documentation, version } = release;
  const site = documentation === null ? null : resolveVersionedSite(documentation, version);
  if (site === null || NO_SITE.test(new URL(site).hostname)) return [];
  return readSiteDocuments(site, deps);
}

/** Reads a site within its path as documents. */
export async function readSiteDocuments(
  url: string,
  { readSite, signal }: Pick<CollectDeps, 'readSite' | 'signal'>,
): Promise<SourceDocument[]> {
  const pages = await readSite(url, { pagesMax: SITE_PAGES_MAX, signal });
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
