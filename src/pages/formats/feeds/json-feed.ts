import type { Article } from '../../article.ts';
import { FEED_ENTRIES_MAX, type FeedEntry, feedArticle } from './feed-article.ts';

/** A parsed JSON value as the list of a JSON Feed (jsonfeed.org, versions 1 and 1.1), or null when it is none. */
export function readJsonFeed(value: unknown, url: string, rawChars: number): Article | null {
  if (!isRecord(value) || !/^https?:\/\/jsonfeed\.org\/version\/1/.test(text(value.version))) return null;
  const items = Array.isArray(value.items) ? value.items.slice(0, FEED_ENTRIES_MAX) : [];
  return feedArticle(
    {
      title: text(value.title),
      description: text(value.description),
      language: text(value.language),
      site: text(value.home_page_url),
      entries: items.filter(isRecord).map(entryOf),
    },
    url,
    rawChars,
  );
}

function entryOf(item: Record<string, unknown>): FeedEntry {
  const authors = Array.isArray(item.authors) ? item.authors : [item.author];
  const [author] = authors;
  return {
    title: text(item.title),
    link: text(item.url) || text(item.external_url) || text(item.id),
    date: text(item.date_published) || text(item.date_modified),
    author: isRecord(author) ? text(author.name) : '',
    summary: text(item.summary) || text(item.content_text) || text(item.content_html),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
