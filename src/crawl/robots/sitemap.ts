import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { URL_CHARS_MAX } from '../../contract/limits.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { createPathReader, type PathReader } from '../../text/xml/path-reader.ts';
import { decodeText } from './host-robots.ts';

/** The contents of a sitemap file: pages, and further sitemaps if it is an index. Absolute http(s) addresses as written. */
export type Sitemap = {
  pages: string[];
  sitemaps: string[];
  /** Last modification times by page address; absent: none is stated. */
  modified?: Map<string, number>;
};

/** Bounds by sitemaps.org: a file is at most 50 MB unpacked and lists at most 50,000 addresses. */
export const SITEMAP_BYTES_MAX = 52_428_800;
export const SITEMAP_URLS_MAX = 50_000;
/** Maximum nesting of elements, and characters of an address; real sitemaps reach 5 and 2,048. */
const DEPTH_MAX = 64;
const ADDRESS_CHARS_MAX = URL_CHARS_MAX;
/** Characters parsed before yielding to other work. */
const SLICE_CHARS = 131_072;

const unzip = promisify(gunzip);

/**
 * Parses a sitemap, sitemap index, RSS or Atom feed or plain list of addresses, gzipped or not. Returns each listed address once.
 * Relative addresses are resolved against `base`. Anything else lists nothing; never throws because of the bytes.
 */
export async function parseSitemap(bytes: Uint8Array, base: string): Promise<Sitemap> {
  const text = decodeText(await decompressSitemap(bytes)).trimStart();
  const listed = text.startsWith('<') ? await parseXml(text) : parseLines(text);
  const modified = new Map<string, number>();
  for (const [address, at] of listed.modified ?? []) {
    const url = resolveUrl(address, base);
    if (url !== null) modified.set(url, at);
  }
  return {
    pages: resolveUrls(listed.pages, base),
    sitemaps: resolveUrls(listed.sitemaps, base),
    ...(modified.size === 0 ? {} : { modified }),
  };
}

async function decompressSitemap(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: SITEMAP_BYTES_MAX });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return new Uint8Array();
    throw error;
  }
}

function parseLines(text: string): Sitemap {
  const pages: string[] = [];
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const address = line.length > ADDRESS_CHARS_MAX ? '' : line.trim();
    if (/^https?:\/\/\S+$/i.test(address)) pages.push(address);
    if (pages.length >= SITEMAP_URLS_MAX) break;
  }
  return { pages, sitemaps: [] };
}

async function parseXml(text: string): Promise<Sitemap> {
  const modified = new Map<string, number>();
  const found: Sitemap = { pages: [], sitemaps: [], modified };
  let entry: { address?: string; modifiedAt?: number | null } = {};
  let content = '';
  let guid = '';
  let linked = false;
  /** True once a list is full, or elements are nested too deeply for a sitemap. */
  let full = false;
  const add = (list: string[], address: string | undefined): void => {
    if (address === undefined || address === '') return;
    if (list.length < SITEMAP_URLS_MAX) list.push(address);
    else full = true;
  };
  const close = (place: string, value: string): void => {
    if (place === 'url/loc' || place === 'item/link') add(found.pages, value);
    if (place === 'url/loc') entry.address = value;
    if (place === 'url/lastmod') entry.modifiedAt = parseLatestTime(value);
    if (place.endsWith('/url')) {
      const { address, modifiedAt = null } = entry;
      if (address !== undefined && modifiedAt !== null && modified.size < SITEMAP_URLS_MAX)
        modified.set(address, modifiedAt);
      entry = {};
    }
    if (place === 'sitemap/loc' || place === 'sitemapindex/sitemap') add(found.sitemaps, value);
    if (place === 'item/link') linked = value !== '';
    if (place === 'item/guid') guid = value;
    if (place.endsWith('/item') && !linked && /^https?:/.test(guid)) add(found.pages, guid);
  };
  const reader = createPathReader(
    {
      onOpen(path, attributes) {
        full ||= path.length > DEPTH_MAX;
        content = '';
        if (path.at(-1) === 'item') {
          linked = false;
          guid = '';
        }
        if (isEntryLink(path, attributes)) add(found.pages, attributes.href);
      },
      onText(_path, piece) {
        if (content.length <= ADDRESS_CHARS_MAX) content += piece;
      },
      onClose(path) {
        close(path.slice(-2).join('/'), content.trim());
        content = '';
      },
    },
    stripNamespace,
  );
  await parseInSlices(reader, text, () => full);
  return found;
}

/** Feeds the reader until `isDone`, yielding to other work after each slice. */
async function parseInSlices(reader: PathReader, text: string, isDone: () => boolean): Promise<void> {
  for (let at = 0; at < text.length && !isDone(); at += SLICE_CHARS) {
    reader.write(text.slice(at, at + SLICE_CHARS));
    await nextTurn();
  }
  reader.end();
}

const stripNamespace = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

/** Returns whether the element is Atom's link from an entry to its page; other relations lead to enclosures and editors. */
function isEntryLink(path: readonly string[], attributes: Record<string, string>): boolean {
  return path.slice(-2).join('/') === 'entry/link' && /^(?:alternate)?$/.test(attributes.rel ?? '');
}

/** Returns the latest time that a date can mean (W3C Datetime): without a time of day, the end of the day or month. */
function parseLatestTime(written: string): number | null {
  const month = /^(\d{4})-(\d{2})$/.exec(written);
  if (month !== null) return Date.UTC(Number(month[1]), Number(month[2])) - 1;
  if (!/^\d{4}-\d{2}-\d{2}/.test(written)) return null;
  const at = Date.parse(written);
  if (!Number.isFinite(at)) return null;
  return written.length === DAY_CHARS ? at + DAY_MS - 1 : at;
}
const DAY_CHARS = '2026-01-31'.length;

function resolveUrls(addresses: string[], base: string): string[] {
  const urls = addresses.map((address) => resolveUrl(address, base));
  return [...new Set(urls.filter((url) => url !== null))];
}

function resolveUrl(address: string, base: string): string | null {
  const url = URL.parse(address, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
