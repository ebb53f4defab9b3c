import { createPathReader } from '../../../text/xml/path-reader.ts';
import type { Article } from '../../article.ts';
import { buildPlainArticle, resolveLink } from '../plain-article.ts';

const ENTRIES_MAX = 5_000;
const LINKS_MAX = 2_000;
const ROOTS = new Set(['urlset', 'sitemapindex']);

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
  if (!ROOTS.has(root)) return null;
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
