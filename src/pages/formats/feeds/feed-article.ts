/**
 * Writes a feed of any format (RSS, Atom, JSON Feed) as an article: its title and a list of its entries. It does not fetch the entries,
 * and it keeps only the beginning of each summary.
 */

import { Parser } from 'htmlparser2';
import type { Article } from '../../article.ts';
import { escapeMarkdown } from '../../extract/markdown/inline/finish-inline.ts';
import { buildPlainArticle, resolveLink } from '../plain-article.ts';

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

export type FeedEntry = { title: string; link: string; date: string; author: string; summary: string };
export type Feed = {
  title: string;
  description: string;
  language: string;
  site: string;
  entries: FeedEntry[];
};

/** Maximum number of entries of a feed that are listed. */
export const FEED_ENTRIES_MAX = 500;
const SUMMARY_CHARS_MAX = 300;

/** Builds the article of a feed: its title and a list of entries with link, day and the beginning of the summary. */
export function buildFeedArticle(feed: Feed, url: string, rawChars: number): Article {
  const title = toPlainText(feed.title);
  const description = toPlainText(feed.description);
  const entries = feed.entries.slice(0, FEED_ENTRIES_MAX);
  const parts = [
    title === '' ? '' : `# ${escapeMarkdown(title)}`,
    escapeMarkdown(description),
    entries.map((entry) => formatEntry(entry, url)).join('\n'),
  ];
  const days = entries.flatMap(({ date }) => parseFeedDay(date) ?? []).sort();
  const newest = days.at(-1);
  return buildPlainArticle(url, {
    kind: 'feed',
    title,
    markdown: entries.length === 0 ? '' : parts.filter((part) => part !== '').join('\n\n'),
    rawChars,
    headings: title === '' ? [] : [title],
    links: [...new Set(entries.flatMap(({ link }) => resolveLink(link, url) ?? []))],
    language: /^[a-z]{2,3}(?![a-z])/i.exec(feed.language.trim())?.[0].toLowerCase() ?? null,
    description: description === '' ? null : description,
    published: newest === undefined ? null : { day: newest, from: 'feed' },
  });
}

function formatEntry(entry: FeedEntry, base: string): string {
  const summary = shortenSummary(toPlainText(entry.summary));
  const title = toPlainText(entry.title) || shortenSummary(summary) || entry.link;
  const link = resolveLink(entry.link, base);
  const day = parseFeedDay(entry.date);
  const head =
    link === null
      ? escapeMarkdown(title)
      : `[${escapeMarkdown(title, { isLinkText: true })}](${link.replace(/[()]/g, encodeParenthesis)})`;
  const by = toPlainText(entry.author);
  const about = [day, by === '' ? null : escapeMarkdown(by)].filter((part) => part !== null).join(', ');
  const tail = summary === '' || summary === title ? '' : `\n  ${escapeMarkdown(summary)}`;
  return `- ${head}${about === '' ? '' : ` (${about})`}${tail}`;
}

const encodeParenthesis = (sign: string): string => (sign === '(' ? '%28' : '%29');

/** Returns the day of an RFC 822 or ISO 8601 date, in its own time zone where it is written as ISO. */
function parseFeedDay(date: string): string | null {
  const iso = /^\s*(\d{4}-\d{2}-\d{2})/.exec(date)?.[1];
  if (iso !== undefined) return Number.isNaN(Date.parse(iso)) ? null : iso;
  const time = Date.parse(date);
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

/** Returns the text of a value that may be HTML. Feeds escape it once or twice. */
function toPlainText(value: string): string {
  const once = /[<&]/.test(value) ? readHtmlText(value.slice(0, 20_000)) : value;
  return once.replace(/\s+/g, ' ').trim();
}

function readHtmlText(html: string): string {
  let text = '';
  let silent = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      if (name === 'script' || name === 'style') silent += 1;
      else if (/^(?:p|div|br|li|tr|h[1-6])$/.test(name)) text += ' ';
    },
    onclosetag: (name) => {
      if (name === 'script' || name === 'style') silent -= 1;
    },
    ontext: (part) => {
      if (silent === 0) text += part;
    },
  });
  parser.write(html);
  parser.end();
  return text;
}

function shortenSummary(text: string): string {
  if (text.length <= SUMMARY_CHARS_MAX) return text;
  const cut = text.lastIndexOf(' ', SUMMARY_CHARS_MAX);
  return `${text.slice(0, cut > SUMMARY_CHARS_MAX / 2 ? cut : SUMMARY_CHARS_MAX)}…`;
}

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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
