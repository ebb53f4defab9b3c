import { type RemoteDeps, readRemotePart, requestWithRetries } from '../bytes/remote-bytes.ts';
import { WEB_ARCHIVE } from '../formats/web-archive.ts';
import type { CollectedFile, Collection } from './collection-types.ts';

/** Addresses of the list of crawls, and of their archives. */
export type CommonCrawlPlaces = { crawls: string; archives: string };

export const COMMON_CRAWL: CommonCrawlPlaces = {
  crawls: 'https://index.commoncrawl.org/collinfo.json',
  archives: 'https://data.commoncrawl.org/',
};

const TERMS = 'https://commoncrawl.org/terms-of-use';
/** Maximum bytes of a page of the index, which holds some 3,000 captures. */
const LIST_BYTES_MAX = 20 << 20;
/** Pause between two requests, because the index is a shared public service. */
const PAUSE_MS = 250;

/** A capture in the index (https://github.com/webrecorder/pywb/wiki/CDX-Server-API). */
type Capture = { url: string; filename: string; offset: string; length: string };

/** Opens the pages of a domain and its subdomains in one crawl: the newest, unless the import began with another. */
export async function openCommonCrawl(
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
