import { glob, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { GuardedFetch } from '../../../platform/net/fetch-types.ts';
import { openFileBytes } from '../bytes/byte-reader.ts';
import {
  openRemoteBytes,
  type RemoteDeps,
  readRemotePart,
  requestWithRetries,
} from '../bytes/remote-bytes.ts';
import { findFileFormat } from '../formats/formats.ts';
import { WEB_ARCHIVE } from '../formats/web-archive.ts';
import type { CollectedFile, Collection } from './read-collection.ts';

const COMMON_CRAWL: CommonCrawlPlaces = {
  crawls: 'https://index.commoncrawl.org/collinfo.json',
  archives: 'https://data.commoncrawl.org/',
};
const TERMS = 'https://commoncrawl.org/terms-of-use';
/** Maximum bytes of a page of the index, which holds some 3,000 captures. */
const LIST_BYTES_MAX = 20 << 20;
/** Pause between two requests, because the index is a shared public service. */
const PAUSE_MS = 250;

/** Path segment under which each code host shows the files of a branch. */
const FILES_OF_HOST: Record<string, string> = {
  'github.com': 'blob',
  'gitlab.com': '-/blob',
  'bitbucket.org': 'src',
  'codeberg.org': 'src/branch',
};

/** Maximum files that one address can stand for. */
const FILES_MAX = 10_000;
const RANGE = /\{(\d{1,6})\.\.(\d{1,6})\}/;

/** Opens the source of an import: a path, an address, or `commoncrawl:` and a domain. Rejects with the reason if nothing can be read. */
export type OpenCollection = (
  path: string,
  baseUrl: string | null,
  signal: AbortSignal,
) => Promise<Collection>;

type OpenDeps = {
  fetch: GuardedFetch;
  /** Replaced by tests, which wait less and use their own Common Crawl. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  places?: CommonCrawlPlaces;
};

const wait = async (ms: number, signal: AbortSignal): Promise<void> =>
  void (await setTimeout(ms, undefined, { signal }));

export function createOpenCollection({
  fetch,
  pause = wait,
  places = COMMON_CRAWL,
}: OpenDeps): OpenCollection {
  return (path, baseUrl, signal) => {
    const deps = { fetch, pause, signal };
    const domain = /^commoncrawl:(.+)$/.exec(path)?.[1];
    if (domain !== undefined) return openCommonCrawl(domain, { ...deps, places });
    return /^https?:\/\//i.test(path) ? openRemoteFiles(path, deps) : openLocalFiles(path, baseUrl);
  };
}

/** Opens a file on the web, or many whose addresses differ in a number: `https://example.org/part-{000..049}.parquet`. */
async function openRemoteFiles(address: string, deps: RemoteDeps): Promise<Collection> {
  const urls = expandAddress(address);
  const openRemoteFile = async (url: string): Promise<CollectedFile> => {
    const format = findFileFormat(new URL(url).pathname);
    const common = { name: url, url, format };
    // Requesting one byte shows whether the file is unchanged.
    const source = await openRemoteBytes(url, deps);
    return { ...common, stamp: source.stamp, size: source.size, open: async () => source };
  };
  return {
    name: basename(new URL(address).pathname) || address,
    bytesTotal: urls.length === 1 ? ((await openRemoteFile(urls[0] ?? address)).size ?? null) : null,
    origin: null,
    async *files(from) {
      const first = from === null ? 0 : Math.max(0, urls.indexOf(from));
      for (const url of urls.slice(first))
        yield await openRemoteFile(url).catch((error: Error) => buildMissingFile(url, error));
    },
  };
}

/** Builds an entry for a file that cannot be opened, so that the others are still imported. */
function buildMissingFile(url: string, error: Error): CollectedFile {
  return {
    name: url,
    url,
    stamp: '',
    size: null,
    format: null,
    problem: error.message,
    open: () => Promise.reject(error),
  };
}

function expandAddress(address: string): string[] {
  const range = RANGE.exec(address);
  if (range === null) return [address];
  const [whole, first = '', last = ''] = range;
  const count = Number(last) - Number(first) + 1;
  if (count < 1 || count > FILES_MAX) throw new Error(`${whole}: must name 1 to ${FILES_MAX} files`);
  return Array.from({ length: count }, (_, at) =>
    address.replace(whole, String(Number(first) + at).padStart(first.length, '0')),
  );
}

/**
 * Opens a file, a folder with everything below it, or the files that match a pattern such as `shards/*.parquet`. A page's address is its
 * path below `baseUrl`; in a clone of a repository, its address on the code host; else its file: address.
 */
export async function openLocalFiles(path: string, baseUrl: string | null): Promise<Collection> {
  const { root, files } = await listFiles(path);
  const base = baseUrl ?? (root === null ? null : await readRepositoryAddress(root));
  const listed: (CollectedFile & { size: number })[] = [];
  for (const file of files) {
    const { size, mtimeMs } = await stat(file);
    const format = findFileFormat(file);
    // Files of other formats in a folder are skipped.
    if (format === null && files.length > 1) continue;
    const url = buildAddress(file, { root, base });
    const stamp = `${size}-${Math.round(mtimeMs)}`;
    listed.push({ name: resolve(file), stamp, size, url, format, open: () => openFileBytes(file) });
  }
  return {
    name: basename(resolve(path)),
    bytesTotal: listed.reduce((sum, { size }) => sum + size, 0),
    origin: null,
    async *files(from) {
      yield* from === null ? listed : listed.filter(({ name }) => name >= from);
    },
  };
}

async function listFiles(path: string): Promise<{ root: string | null; files: string[] }> {
  const found = await stat(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || !/[*?[{]/.test(path)) throw error;
    return null;
  });
  if (found?.isDirectory()) return { root: path, files: await listFilesBelow(path) };
  if (found !== null) return { root: null, files: [path] };
  const files: string[] = [];
  for await (const file of glob(path)) if ((await stat(file)).isFile()) files.push(file);
  if (files.length === 0) throw new Error(`no file is named ${path}`);
  return { root: null, files: files.map((file) => resolve(file)).sort() };
}

async function listFilesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(folder, file).split(sep).includes('.git'))
    .sort();
}

function buildAddress(file: string, { root, base }: { root: string | null; base: string | null }): string {
  if (base === null) return pathToFileURL(file).href;
  const path = root === null ? (file.split(sep).at(-1) ?? '') : relative(root, file).split(sep).join('/');
  return new URL(path.split('/').map(encodeURIComponent).join('/'), `${base.replace(/(?<!\/)\/+$/, '')}/`)
    .href;
}

/** Reads the web address of a local clone's files from its remote and branch; null if the folder is no clone or the host is not known. */
export async function readRepositoryAddress(folder: string): Promise<string | null> {
  const config = await readFile(join(folder, '.git', 'config'), 'utf8').catch(() => null);
  const head = await readFile(join(folder, '.git', 'HEAD'), 'utf8').catch(() => null);
  if (config === null || head === null) return null;
  const remote = /^\[remote "origin"\]\n(?:[ \t].*\n)*?[ \t]*url\s?=\s?(\S+)/m.exec(`${config}\n`)?.[1];
  const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1] ?? head.trim();
  const address = remote === undefined ? null : toWebAddress(remote);
  const files = address === null ? undefined : FILES_OF_HOST[new URL(address).hostname];
  return files === undefined ? null : `${address}/${files}/${branch}`;
}

/** Converts `git@host:owner/name.git`, `ssh://git@host/owner/name` and `https://host/owner/name.git` to a web address. */
function toWebAddress(remote: string): string | null {
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(remote);
  const url = short === null ? URL.parse(remote) : URL.parse(`https://${short[1]}/${short[2]}`);
  if (url === null || url.hostname === '') return null;
  return `https://${url.hostname}${url.pathname.replace(/\.git\/?$|\/$/, '')}`;
}

/** Addresses of the list of crawls, and of their archives. */
type CommonCrawlPlaces = { crawls: string; archives: string };

/** A capture in the index (https://github.com/webrecorder/pywb/wiki/CDX-Server-API). */
type Capture = { url: string; filename: string; offset: string; length: string };

/** Opens the pages of a domain and its subdomains in one crawl: the newest, unless the import began with another. */
async function openCommonCrawl(
  domain: string,
  deps: RemoteDeps & { places: CommonCrawlPlaces },
): Promise<Collection> {
  const { places, pause } = deps;
  const crawls = await readCrawls(places.crawls, deps);
  const [newest] = crawls;
  if (newest === undefined) throw new Error(`${places.crawls} lists no crawls`);
  const buildFile = (name: string, { url, filename, offset, length }: Capture): CollectedFile => ({
    name,
    url,
    format: WEB_ARCHIVE,
    stamp: `${filename}:${offset}`,
    size: Number(length),
    async open() {
      await pause(PAUSE_MS, deps.signal);
      const range = { offset: Number(offset), length: Number(length) };
      return readRemotePart(new URL(filename, places.archives).href, range, deps);
    },
  });
  return {
    name: `${domain} in ${newest.id}`,
    bytesTotal: null,
    origin: { source: `Common Crawl ${newest.id}`, licence: TERMS },
    async *files(from) {
      const [id, firstPage = '0', firstLine = '0'] = from?.split('/') ?? [];
      const crawl = crawls.find((one) => one.id === id) ?? newest;
      const pages = await countPages(crawl.api, domain, deps);
      for (let page = Number(firstPage); page < pages; page += 1) {
        const captures = await readCaptures(page, { api: crawl.api, domain }, deps);
        const start = page === Number(firstPage) ? Number(firstLine) : 0;
        for (const [line, capture] of captures.entries())
          if (line >= start) yield buildFile(`${crawl.id}/${page}/${line}`, capture);
      }
    },
  };
}

async function readCrawls(url: string, deps: RemoteDeps): Promise<{ id: string; api: string }[]> {
  const { body } = await requestWithRetries({ url, bytesMax: LIST_BYTES_MAX }, deps);
  const listed = JSON.parse(Buffer.from(body).toString('utf8')) as { id?: unknown; 'cdx-api'?: unknown }[];
  return listed.map((crawl) => ({ id: String(crawl.id), api: String(crawl['cdx-api']) }));
}

function buildQueryUrl(api: string, domain: string, more: Record<string, string>): string {
  const query = new URLSearchParams({
    url: domain,
    matchType: 'domain',
    output: 'json',
    pageSize: '1',
    ...more,
  });
  return `${api}?${query}`;
}

async function countPages(api: string, domain: string, deps: RemoteDeps): Promise<number> {
  const url = buildQueryUrl(api, domain, { showNumPages: 'true' });
  const { body } = await requestWithRetries({ url, bytesMax: LIST_BYTES_MAX }, deps).catch((error: Error) => {
    // The index answers 404 if it has no page of the domain.
    if (/ answered 404$/.test(error.message))
      throw new Error(`Common Crawl holds no page of ${domain}`, { cause: error });
    throw error;
  });
  return Number((JSON.parse(Buffer.from(body).toString('utf8')) as { pages?: unknown }).pages ?? 0);
}

/** Reads the captures on a page of the index that are text and were answered with 200. */
async function readCaptures(
  page: number,
  { api, domain }: { api: string; domain: string },
  deps: RemoteDeps,
): Promise<Capture[]> {
  const { pause, signal } = deps;
  await pause(PAUSE_MS, signal);
  const url = `${buildQueryUrl(api, domain, { page: String(page), fl: 'url,filename,offset,length,status,mime' })}&filter=${encodeURIComponent('=status:200')}`;
  const { body } = await requestWithRetries({ url, bytesMax: LIST_BYTES_MAX }, deps);
  const captures: Capture[] = [];
  for (const line of Buffer.from(body).toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    const capture = JSON.parse(line) as Capture & { mime?: string };
    const isReadable = /html|^text\/|xhtml/.test(capture.mime ?? 'text/html');
    if (isReadable && /^\d+$/.test(capture.offset) && /^\d+$/.test(capture.length)) captures.push(capture);
  }
  return captures;
}
