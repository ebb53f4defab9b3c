import { basename } from 'node:path';
import { decodeXML } from 'entities';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import type { PageOrigin } from '../../../../index/local-index-types.ts';
import type { ByteSource } from '../../bytes/byte-reader.ts';
import { openByteReader } from '../../bytes/byte-reader.ts';
import type { FileFormat, SourcePage } from '../json-lines.ts';
import { convertWikitext } from './wikitext.ts';

const HEAD_BYTES_MAX = 1 << 17;
/** Maximum bytes of a page: these dumps hold only the newest revision, and markup takes more room than text. */
const PAGE_XML_BYTES_MAX = 2 * PAGE_BYTES_MAX;

const XML_FILE = /\.xml(?:\.gz|\.zst|\.bz2)?$/i;
const NAMED = /wiki|pages/i;

/** MediaWiki dumps (https://www.mediawiki.org/wiki/Help:Export), such as `…-pages-articles.xml`. Yields articles, without redirects. */
export const MEDIAWIKI: FileFormat = {
  name: 'MediaWiki',
  files: { test: (path) => XML_FILE.test(path) && NAMED.test(basename(path)) },
  async *read(source, { from, address: { baseUrl } }) {
    const site = await readSite(source);
    const [origin = 0, offset = 0] = from ?? [];
    const reader = await openByteReader(source, [origin, offset]);
    for (;;) {
      const read = await reader.readThrough('</page>', PAGE_XML_BYTES_MAX);
      if (read === null) return;
      const xml = read.bytes.toString('utf8');
      const page = parsePage(
        xml,
        baseUrl === null ? site : { ...site, base: `${baseUrl.replace(/\/$/, '')}/` },
      );
      const found = { after: reader.place(), position: reader.position() };
      if (page === null) continue;
      if (read.isCut) yield { ...found, where: page.url, problem: 'is larger than 5 MB' };
      else yield { ...found, page };
    }
  },
  async originOf(source): Promise<PageOrigin> {
    const { name } = await readSite(source);
    return {
      source: name,
      licence: /Wikipedia|Wiki(?:books|quote|source|versity|voyage)|Wiktionary/.test(name)
        ? 'CC BY-SA 4.0'
        : null,
    };
  },
};

type Site = { name: string; base: string; language: string | null };

async function readSite(source: ByteSource): Promise<Site> {
  const reader = await openByteReader(source, [0, 0]);
  const head = await reader.readThrough('</siteinfo>', HEAD_BYTES_MAX);
  const xml = head?.bytes.toString('utf8') ?? '';
  const base = parseElementText(xml, 'base');
  if (!xml.includes('<mediawiki') || base === null || !URL.canParse(base))
    throw new Error(`${source.name} is not a dump of MediaWiki`);
  const language = /\sxml:lang="([a-zA-Z-]{2,20})"/.exec(xml)?.[1] ?? null;
  return {
    name: parseElementText(xml, 'sitename') ?? new URL(base).host,
    base: base.slice(0, base.lastIndexOf('/') + 1),
    language,
  };
}

/** Parses a page of the main namespace; null for other pages and redirects. */
function parsePage(xml: string, { base, language }: Site): SourcePage | null {
  const title = parseElementText(xml, 'title');
  if (title === null || parseElementText(xml, 'ns') !== '0' || xml.includes('<redirect ')) return null;
  const url = `${base}${encodeURIComponent(title.replaceAll(' ', '_')).replace(/%(?:2F|3A|2C|28|29)/g, decodeURIComponent)}`;
  return {
    url,
    title,
    body: { markdown: convertWikitext(parseElementText(xml, 'text') ?? '') },
    fetchedAt: Date.parse(parseElementText(xml, 'timestamp') ?? '') || null,
    ...(language === null ? {} : { language }),
  };
}

/** Returns the text of the first element with a name. */
function parseElementText(xml: string, name: string): string | null {
  const open = xml.indexOf(`<${name}`);
  const start = open === -1 ? -1 : xml.indexOf('>', open);
  if (start === -1 || xml[start - 1] === '/') return null;
  const end = xml.indexOf(`</${name}>`, start);
  return end === -1 ? decodeXML(xml.slice(start + 1)) : decodeXML(xml.slice(start + 1, end));
}
