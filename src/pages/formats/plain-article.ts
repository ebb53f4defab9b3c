import { stripFragment } from '../../text/urls/url-spelling.ts';
import type { Article, ArticleKind } from '../article.ts';

/** The metadata of a body that is not HTML; all other fields are unknown. */
type PlainFacts = {
  kind: ArticleKind;
  title: string;
  markdown: string;
  rawChars: number;
  headings?: string[];
  links?: string[];
  published?: Article['published'];
  author?: string | null;
  site?: string | null;
  language?: string | null;
  description?: string | null;
};

/** Builds the article of a body that is not HTML; the title defaults to the file name in `url`. */
export function buildPlainArticle(url: string, facts: PlainFacts): Article {
  return {
    url,
    canonicalUrl: stripFragment(url),
    author: null,
    site: null,
    language: null,
    published: null,
    description: null,
    headings: [],
    links: [],
    robots: { index: true, follow: true },
    ...facts,
    title: facts.title.trim() === '' ? parseFileName(url) : facts.title.trim(),
  };
}

/** Returns the last part of the path, decoded where possible; the host when the path is empty, and nothing for a page without an address. */
export function parseFileName(url: string): string {
  const { protocol, pathname, hostname } = new URL(url);
  if (protocol === 'about:') return '';
  const last = pathname.split('/').filter(Boolean).at(-1);
  if (last === undefined) return hostname;
  try {
    return decodeURIComponent(last);
  } catch (error) {
    if (error instanceof URIError) return last;
    throw error;
  }
}

/** Makes `href` absolute, without its fragment; null unless it is http(s). */
export function resolveLink(href: string, base: string): string | null {
  const url = URL.parse(href, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return stripFragment(url.href);
}
