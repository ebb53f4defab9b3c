import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import type { PageOrigin } from '../../../../index/local-index-types.ts';
import { type ByteSource, CHUNK_BYTES } from '../../bytes/byte-reader.ts';
import type { FileFormat } from '../json-lines.ts';

const MAGIC = 0x044d495a;
const HEADER_BYTES = 80;
const MIME_LIST_BYTES_MAX = 1 << 16;
const ENTRY_BYTES_MAX = 1 << 13;
/** Minimum bytes of an entry: a redirect with an empty path and an empty title. */
const ENTRY_BYTES_MIN = 14;
const CLUSTER_BYTES_MAX = 256 << 20;
const REDIRECT_FROM = 0xfffd;
const CHECKSUM_BYTES = 16;
const WINDOWS_MAX = 4;

/** Maximum bytes of a file whose checksum is verified, which reads the whole file. */
const CHECKED_BYTES_MAX = 4 * 2 ** 30;
/** Namespaces of content: C, and before 2021 A for articles. */
const CONTENT = /^[AC]$/;
const TEXT = /^text\/(?:html|plain|markdown)/;

/** Files for offline use: Wikipedia, Stack Exchange, DevDocs and others. A place is an index into the entries ordered by cluster. */
export const ZIM: FileFormat = {
  name: 'ZIM',
  files: /\.zim$/i,
  async *read(source, { from, address: { baseUrl }, signal }) {
    const zim = await openZim(source);
    if (from === null && source.size <= CHECKED_BYTES_MAX && !(await zim.isWhole()))
      throw new Error(`${source.name} is damaged: its checksum is wrong`);
    const about = await readMetadata(zim);
    const addressOf = createAddressBuilder(source, baseUrl, about);
    const order = await orderByCluster(zim);
    for (let at = from?.[0] ?? 0; at < order.length; at += 1) {
      if (signal.aborted) return;
      const entry = await zim.entry(order[at] ?? 0);
      const found = { after: [at + 1], position: Math.round((source.size * (at + 1)) / order.length) };
      const bytes = new Uint8Array(await zim.content(entry));
      const url = addressOf(entry);
      if (bytes.length > PAGE_BYTES_MAX) yield { ...found, where: url, problem: 'is larger than 5 MB' };
      else
        yield {
          ...found,
          page: {
            url,
            fetchedAt: about.date,
            body: { bytes, contentType: `${entry.mime?.split(';')[0]}; charset=utf-8` },
            ...(entry.title === '' ? {} : { title: entry.title }),
            ...(about.language === null ? {} : { language: about.language }),
          },
        };
    }
  },
  async originOf(source) {
    return (await readMetadata(await openZim(source))).origin;
  },
};

type ZimMetadata = { origin: PageOrigin; site: string | null; language: string | null; date: number | null };

/** Reads the metadata of the file. */
async function readMetadata(zim: ZimFile): Promise<ZimMetadata> {
  const read = async (name: string): Promise<string | null> => {
    const number = await zim.find('M', name);
    if (number === null) return null;
    const entry = await zim.entry(number);
    return entry.mime === null ? null : (await zim.content(entry)).toString('utf8').trim();
  };
  const language = await read('Language');
  const names = [await read('Title'), await read('Creator')].filter((name) => name !== null && name !== '');
  return {
    origin: { source: names.join(', ') || 'ZIM file', licence: (await read('License')) || null },
    site: await read('Source'),
    language: language === null || language.includes(',') ? null : language,
    date: Date.parse((await read('Date')) ?? '') || null,
  };
}

/** Orders the numbers of the pages by cluster, so that each cluster is unpacked once. Takes eight bytes of memory per entry. */
async function orderByCluster(zim: ZimFile): Promise<Uint32Array> {
  const clusters = new Uint32Array(zim.entries);
  let pages = 0;
  let clustersMax = 0;
  const isPage = ({ namespace, mime }: ZimEntry): boolean =>
    mime !== null && CONTENT.test(namespace) && TEXT.test(mime);
  for (let number = 0; number < zim.entries; number += 1) {
    const entry = await zim.entry(number);
    if (!isPage(entry)) continue;
    // Shifted by one, because 0 marks entries that are not pages.
    clusters[number] = entry.cluster + 1;
    pages += 1;
    clustersMax = Math.max(clustersMax, entry.cluster + 1);
  }
  const places = new Uint32Array(clustersMax + 2);
  for (const cluster of clusters) if (cluster > 0) places[cluster + 1] = (places[cluster + 1] ?? 0) + 1;
  for (let at = 1; at < places.length; at += 1) places[at] = (places[at] ?? 0) + (places[at - 1] ?? 0);
  const order = new Uint32Array(pages);
  for (const [number, cluster] of clusters.entries()) {
    if (cluster === 0) continue;
    const place = places[cluster] ?? 0;
    order[place] = number;
    places[cluster] = place + 1;
  }
  return order;
}

const WIKI =
  /(?:^|\.)(?:wikipedia|wiktionary|wikibooks|wikiversity|wikivoyage|wikisource|wikinews|wikiquote)\.org$/;
const HOST_IN_PATH = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\//i;

/** Addresses are below the base address, else below the site that the file names. In files made from a crawl, paths begin with the host. */
function createAddressBuilder(
  source: ByteSource,
  baseUrl: string | null,
  { site }: ZimMetadata,
): (entry: ZimEntry) => string {
  const base = baseUrl ?? parseBaseUrl(site) ?? pathToFileURL(source.name).href;
  const resolveBelow = (path: string): string =>
    `${base.replace(/\/$/, '')}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return ({ path }) => {
    if (baseUrl === null && HOST_IN_PATH.test(path) && URL.canParse(`https://${path}`))
      return `https://${path}`;
    return resolveBelow(path);
  };
}

function parseBaseUrl(site: string | null): string | null {
  if (site === null || site === '') return null;
  const url = URL.parse(/^https?:\/\//.test(site) ? site : `https://${site}`);
  if (url === null || !url.hostname.includes('.')) return null;
  if (WIKI.test(url.hostname) && url.pathname === '/') return `${url.origin}/wiki`;
  return url.href;
}

/** An entry of a ZIM file; `mime` is null for redirects and deleted entries. */
type ZimEntry = {
  namespace: string;
  path: string;
  title: string;
  mime: string | null;
  cluster: number;
  blob: number;
};

/** A ZIM file (https://openzim.org/wiki/ZIM_file_format), read in parts. */
type ZimFile = {
  entries: number;
  /** Reads an entry by its number, in the order of paths. */
  entry(number: number): Promise<ZimEntry>;
  /** Finds the number of the entry with a path; null if there is none. */
  find(namespace: string, path: string): Promise<number | null>;
  /** Reads the bytes of an entry. Consecutive entries of one cluster unpack it only once. */
  content(entry: Pick<ZimEntry, 'cluster' | 'blob'>): Promise<Buffer>;
  /** Resolves to whether the MD5 checksum at the end matches the file; reads all of it. */
  isWhole(): Promise<boolean>;
};

/** Opens a file. Throws an error that says what is wrong with the file. */
async function openZim(source: ByteSource): Promise<ZimFile> {
  const header = await source.read(0, HEADER_BYTES);
  const createDamageError = (what: string): Error => new Error(`${source.name} is damaged: ${what}`);
  if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== MAGIC)
    throw new Error(`${source.name} is not a ZIM file`);
  const place = (at: number): number => Number(header.readBigUInt64LE(at));
  const parts = {
    entries: header.readUInt32LE(24),
    clusters: header.readUInt32LE(28),
    paths: place(32),
    clusterPlaces: place(48),
    checksum: place(72) || source.size - CHECKSUM_BYTES,
  };
  // The header's counts decide allocations, so check them: each entry and cluster takes at least 8 bytes for its pointer.
  if (8 * (parts.entries + parts.clusters) > source.size)
    throw createDamageError('it is shorter than its header says');
  const mimes = await readMimes(source, place(56));
  const readAt = createWindowReader(source);
  const readPointer = async (at: number): Promise<number> => {
    const bytes = at + 8 <= source.size ? await readAt(at, 8) : null;
    const place = Number(bytes?.readBigUInt64LE(0) ?? Number.NaN);
    if (!(place < source.size)) throw createDamageError('a pointer leads out of the file');
    return place;
  };
  const readEntry = async (number: number): Promise<ZimEntry> => {
    const at = await readPointer(parts.paths + 8 * number);
    const found = parseEntry(await readAt(at, ENTRY_BYTES_MAX), mimes);
    if (found === null || found.cluster >= Math.max(1, parts.clusters))
      throw createDamageError('an entry is broken');
    return found;
  };
  const findCluster = async (number: number): Promise<{ start: number; end: number }> => ({
    start: await readPointer(parts.clusterPlaces + 8 * number),
    end:
      number + 1 < parts.clusters
        ? await readPointer(parts.clusterPlaces + 8 * (number + 1))
        : parts.checksum,
  });
  return {
    entries: parts.entries,
    entry: readEntry,
    find: (namespace, path) => findEntry({ entries: parts.entries, entry: readEntry }, namespace + path),
    content: createClusterReader(source, findCluster),
    async isWhole() {
      const hash = createHash('md5');
      for (let at = 0; at < parts.checksum; at += CHUNK_BYTES)
        hash.update(await source.read(at, Math.min(at + CHUNK_BYTES, parts.checksum)));
      const stated = await source.read(parts.checksum, parts.checksum + CHECKSUM_BYTES);
      return hash.digest().equals(stated);
    },
  };
}

async function readMimes(source: ByteSource, at: number): Promise<string[]> {
  const bytes = await source.read(at, at + MIME_LIST_BYTES_MAX);
  const end = bytes.indexOf('\0\0');
  return bytes
    .subarray(0, end === -1 ? bytes.length : end)
    .toString('utf8')
    .split('\0');
}

/** Serves small adjacent reads from one large read. */
function createWindowReader(source: ByteSource): (at: number, bytes: number) => Promise<Buffer> {
  // Pointers and the entries they point to are far apart, so several windows are kept.
  const windows: { at: number; bytes: Buffer }[] = [];
  return async (at, bytes) => {
    const wanted = Math.min(bytes, source.size - at);
    const held = windows.find((window) => at >= window.at && at + wanted <= window.at + window.bytes.length);
    if (held !== undefined) return held.bytes.subarray(at - held.at, at - held.at + bytes);
    const read = { at, bytes: await source.read(at, at + CHUNK_BYTES) };
    windows.push(read);
    if (windows.length > WINDOWS_MAX) windows.shift();
    return read.bytes.subarray(0, bytes);
  };
}

/** Parses an entry; null if the bytes are not one. */
function parseEntry(bytes: Buffer, mimes: readonly string[]): ZimEntry | null {
  if (bytes.length < ENTRY_BYTES_MIN) return null;
  const type = bytes.readUInt16LE(0);
  const isRedirect = type >= REDIRECT_FROM;
  const textAt = isRedirect ? 12 : 16;
  const pathEnd = bytes.indexOf(0, textAt);
  const titleEnd = bytes.indexOf(0, pathEnd + 1);
  if (pathEnd === -1 || titleEnd === -1) return null;
  return {
    namespace: String.fromCharCode(bytes.readUInt8(3)),
    path: bytes.toString('utf8', textAt, pathEnd),
    title: bytes.toString('utf8', pathEnd + 1, titleEnd),
    mime: isRedirect ? null : (mimes[type] ?? ''),
    cluster: isRedirect ? 0 : bytes.readUInt32LE(8),
    blob: isRedirect ? 0 : bytes.readUInt32LE(12),
  };
}

/** Finds an entry by binary search: entries are sorted by the bytes of namespace and path. */
async function findEntry(file: Pick<ZimFile, 'entries' | 'entry'>, wanted: string): Promise<number | null> {
  let [low, high] = [0, file.entries - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const { namespace, path } = await file.entry(middle);
    const order = Buffer.compare(Buffer.from(namespace + path), Buffer.from(wanted));
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

type Cluster = { number: number; bytes: Buffer; isExtended: boolean };

function createClusterReader(
  source: ByteSource,
  placeOf: (number: number) => Promise<{ start: number; end: number }>,
): ZimFile['content'] {
  let held: Cluster | null = null;
  return async ({ cluster: number, blob }) => {
    if (held?.number !== number) {
      const { start, end } = await placeOf(number);
      held = null;
      held = unpackCluster(
        number,
        await source.read(start, Math.min(end, start + CLUSTER_BYTES_MAX)),
        source.name,
      );
    }
    return sliceBlob(held, blob);
  };
}

function unpackCluster(number: number, packed: Buffer, name: string): Cluster {
  if (packed.length === 0) throw new Error(`${name} is damaged: cluster ${number} is empty`);
  const info = packed.readUInt8(0);
  const isExtended = (info & 0x10) !== 0;
  const bytes = packed.subarray(1);
  switch (info & 0xf) {
    case 0:
    case 1:
      return { number, bytes, isExtended };
    case 4:
      throw new Error(`${name} is compressed with xz, as files before 2021 are; recompress it (zimrecreate)`);
    case 5:
      return { number, bytes: decompressZstd(bytes, `cluster ${number} of ${name}`), isExtended };
    default:
      throw new Error(`${name} has a cluster of an unknown compression (${info & 0xf})`);
  }
}

function decompressZstd(bytes: Buffer, what: string): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: CLUSTER_BYTES_MAX });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ERR_BUFFER_TOO_LARGE'
        ? `unpacks to more than ${CLUSTER_BYTES_MAX >> 20} MB`
        : `cannot be unpacked: ${message}`;
    throw new Error(`${what} ${why}`, { cause: error });
  }
}

/** Returns a blob. A cluster begins with the offsets of its blobs, and one for the end of the last. */
function sliceBlob({ number: cluster, bytes, isExtended }: Cluster, number: number): Buffer {
  const width = isExtended ? 8 : 4;
  const createBlobError = (): Error => new Error(`blob ${number} is not in cluster ${cluster}`);
  if (bytes.length < width) throw createBlobError();
  const readBlobOffset = (at: number): number =>
    isExtended ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at);
  if (number + 1 >= Math.min(readBlobOffset(0), bytes.length) / width) throw createBlobError();
  const [from, to] = [readBlobOffset(number * width), readBlobOffset((number + 1) * width)];
  if (!(from <= to && to <= bytes.length)) throw createBlobError();
  return bytes.subarray(from, to);
}
