import type { Article } from '../../article.ts';
import { buildFeedArticle, FEED_ENTRIES_MAX, type FeedEntry } from './feed-article.ts';

/** Reads a parsed JSON value as the list of a JSON Feed (jsonfeed.org, versions 1 and 1.1); null when it is none. */
export function readJsonFeed(value: unknown, url: string, rawChars: number): Article | null {
  if (!isRecord(value) || !/^https?:\/\/jsonfeed\.org\/version\/1/.test(toText(value.version))) return null;
  const items = Array.isArray(value.items) ? value.items.slice(0, FEED_ENTRIES_MAX) : [];
  return buildFeedArticle(
    {
      title: toText(value.title),
      description: toText(value.description),
      language: toText(value.language),
      site: toText(value.home_page_url),
      entries: items.filter(isRecord).map(toFeedEntry),
    },
    url,
    rawChars,
  );
}

function toFeedEntry(item: Record<string, unknown>): FeedEntry {
  const authors = Array.isArray(item.authors) ? item.authors : [item.author];
  const [author] = authors;
  return {
    title: toText(item.title),
    link: toText(item.url) || toText(item.external_url) || toText(item.id),
    date: toText(item.date_published) || toText(item.date_modified),
    author: isRecord(author) ? toText(author.name) : '',
    summary: toText(item.summary) || toText(item.content_text) || toText(item.content_html),
  };
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
