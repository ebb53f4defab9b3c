import { createPathReader, type PathReader } from '../../../text/xml/path-reader.ts';
import type { Article } from '../../article.ts';
import { buildPlainArticle, resolveLink } from '../plain-article.ts';
import { buildFeedArticle, FEED_ENTRIES_MAX, type Feed, type FeedEntry } from './feed-article.ts';

const ENTRIES_MAX = 5_000;
const LINKS_MAX = 2_000;
const SITEMAP_ROOTS = new Set(['urlset', 'sitemapindex']);

/** Elements for each field with their rank, the highest first: RSS 2.0, RSS 1.0 with Dublin Core, Atom. */
const FIELDS: Record<string, { field: keyof FeedEntry; rank: number }> = {
  title: { field: 'title', rank: 2 },
  link: { field: 'link', rank: 2 },
  guid: { field: 'link', rank: 1 },
  pubdate: { field: 'date', rank: 3 },
  published: { field: 'date', rank: 3 },
  'dc:date': { field: 'date', rank: 2 },
  updated: { field: 'date', rank: 1 },
  'dc:creator': { field: 'author', rank: 2 },
  author: { field: 'author', rank: 1 },
  description: { field: 'summary', rank: 3 },
  summary: { field: 'summary', rank: 3 },
  content: { field: 'summary', rank: 2 },
  'content:encoded': { field: 'summary', rank: 1 },
};
const FIELD_CHARS_MAX = 20_000;
const ROOTS = new Set(['rss', 'rdf:rdf', 'feed']);
const isEntryName = (name: string): boolean => name === 'item' || name === 'entry';

/** Reads an RSS 2.0, RSS 1.0 or Atom feed (decoded text) as a list of its entries; null when the text is no feed. */
export function readXmlFeed(text: string, url: string): Article | null {
  const { feed, isFeed, reader } = createFeedReader();
  reader.write(text);
  reader.end();
  return isFeed() ? buildFeedArticle(feed, url, text.length) : null;
}

function createFeedReader(): { feed: Feed; isFeed(): boolean; reader: PathReader } {
  const feed: Feed = { title: '', description: '', language: '', site: '', entries: [] };
  let root: string | null = null;
  let entry: { value: FeedEntry; ranks: Map<string, number>; depth: number } | null = null;
  let buffer = '';

  const onOpen = (path: readonly string[], attributes: Record<string, string>): void => {
    const name = path.at(-1) ?? '';
    root ??= name;
    if (isEntryName(name) && entry === null) {
      entry = { value: createEntry(), ranks: new Map(), depth: path.length };
    } else if (entry === null || path.length === entry.depth + 1) buffer = '';
    if (name === 'feed' && attributes['xml:lang'] !== undefined) feed.language = attributes['xml:lang'];
    if (name === 'link' && entry !== null && attributes.href !== undefined) {
      const rank = (attributes.rel ?? 'alternate') === 'alternate' ? 3 : 0;
      setField(entry, { field: 'link', rank, value: attributes.href });
    }
  };
  const onText = (_path: readonly string[], part: string): void => {
    if (buffer.length < FIELD_CHARS_MAX) buffer += part;
  };
  const onClose = (path: readonly string[]): void => {
    const name = path.at(-1) ?? '';
    if (entry !== null && path.length === entry.depth) {
      if (feed.entries.length < FEED_ENTRIES_MAX) feed.entries.push(entry.value);
      entry = null;
    } else if (entry !== null && path.length === entry.depth + 1) {
      const known = FIELDS[name];
      if (known !== undefined) setField(entry, { ...known, value: buffer.trim() });
    } else if (entry === null && path.length <= 3) setChannelField(feed, name, buffer.trim());
  };
  const reader = createPathReader({ onOpen, onText, onClose }, normalizeElementName);
  return { feed, reader, isFeed: () => root !== null && ROOTS.has(root) };
}

function setField(
  entry: { value: FeedEntry; ranks: Map<string, number> },
  { field, rank, value }: { field: keyof FeedEntry; rank: number; value: string },
): void {
  if (value === '' || rank <= (entry.ranks.get(field) ?? -1)) return;
  entry.value[field] = value;
  entry.ranks.set(field, rank);
}

function setChannelField(feed: Feed, name: string, value: string): void {
  if (name === 'title' && feed.title === '') feed.title = value;
  else if ((name === 'description' || name === 'subtitle') && feed.description === '')
    feed.description = value;
  else if ((name === 'language' || name === 'dc:language') && feed.language === '') feed.language = value;
}

const createEntry = (): FeedEntry => ({ title: '', link: '', date: '', author: '', summary: '' });

/** Converts a name to lower case, without the prefixes that some feeds give to the elements of Atom and RSS themselves. */
const normalizeElementName = (name: string): string => name.toLowerCase().replace(/^(?:atom|rss|a10):/, '');

/** Reads a sitemap or an index of sitemaps (sitemaps.org) as a list of its addresses with their days; null for other XML. */
export function readSitemapArticle(xml: string, url: string): Article | null {
  if (!/<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/.test(xml.slice(0, 4_096))) return null;
  const entries: { link: string; day: string | null }[] = [];
  let root = '';
  let total = 0;
  let [text, loc, day] = ['', '', ''];
  const reader = createPathReader(
    {
      onOpen(path) {
        if (path.length === 1) root = path[0] ?? '';
        if (path.length === 2) [loc, day] = ['', ''];
        text = '';
      },
      onText: (_path, part) => {
        text += part;
      },
      onClose(path) {
        if (path.length === 3 && path[2] === 'loc') loc = text.trim();
        else if (path.length === 3 && path[2] === 'lastmod')
          day = /^\d{4}-\d\d-\d\d/.exec(text.trim())?.[0] ?? '';
        if (path.length !== 2) return;
        const link = resolveLink(loc, url);
        if (link === null) return;
        total += 1;
        if (entries.length < ENTRIES_MAX) entries.push({ link, day: day === '' ? null : day });
      },
    },
    (name) => name.replace(/^\w+:/, '').toLowerCase(),
  );
  reader.write(xml);
  reader.end();
  if (!SITEMAP_ROOTS.has(root)) return null;
  const lines = entries.map(({ link, day: on }) => `- <${link}>${on === null ? '' : ` (${on})`}`);
  if (total > entries.length) lines.push('', `And ${total - entries.length} more addresses.`);
  return buildPlainArticle(url, {
    kind: 'document',
    title: '',
    markdown: lines.join('\n'),
    rawChars: xml.length,
    links: entries.slice(0, LINKS_MAX).map(({ link }) => link),
  });
}
