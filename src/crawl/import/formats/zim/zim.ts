import { pathToFileURL } from 'node:url';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import type { PageOrigin } from '../../../../index/local-index-types.ts';
import type { ByteSource } from '../../bytes/byte-source.ts';
import type { FileFormat } from '../format-types.ts';
import { openZim, type ZimEntry, type ZimFile } from './zim-file.ts';

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
