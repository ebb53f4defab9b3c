import type { Article } from '../article.ts';
import { readDay } from '../extract/dates/read-day.ts';
import { toPlainText } from '../extract/metadata/plain.ts';
import { readMarkdown } from '../formats/markdown/read-markdown.ts';
import { convertToMarkdown } from '../formats/markdown-of-html.ts';
import { buildPlainArticle } from '../formats/plain-article.ts';
import { escapeHtml, renderFacts, renderParagraphs } from './answer-html.ts';
import { findField, readFieldList, readFieldText } from './field-of.ts';
import { ALL_SITES } from './sites/all-sites.ts';
import type { PublicSite, SitePart } from './sites/public-site.ts';

/** Maximum number of items in all lists, and depth of nested replies. */
const ITEMS_MAX = 1_000;
const DEPTH_MAX = 30;

type Answer = { value: unknown; url: string };
type SiteWriteContext = { page: string; answers: Answer[]; itemsLeft: number };
type Each = Extract<SitePart, { each: string }>;
type WrittenPart = { markdown: string; headings: string[]; links: string[] };

/** Writes the answers of a public interface as the article of the page. */
export function writeSite(answers: Answer[], asked: { page: string; site: string }): Article | null {
  const site = ALL_SITES.find(({ name }) => name === asked.site);
  if (site === undefined) return null;
  const { page } = asked;
  const values = answers.map(({ value }) => value);
  const title = readPlainField(values, site.title) ?? '';
  const writing = { page, answers, itemsLeft: ITEMS_MAX };
  const written = site.parts.flatMap((part) => writePart(part, values, writing));
  if (written.length === 0 || title === '') return null;
  const markdown = [`# ${title}`, ...written.map((part) => part.markdown)].join('\n\n');
  const headings = [title, ...written.flatMap((part) => part.headings)];
  const links = [...new Set(written.flatMap((part) => part.links))];
  const rawChars = JSON.stringify(values).length;
  return {
    ...buildPlainArticle(page, { kind: 'json', title, markdown, headings, links, rawChars }),
    ...buildMetadata(site, values),
  };
}

function buildMetadata(site: PublicSite, values: unknown[]): Partial<Article> {
  const day = readDayField(values, site.published);
  const image = readPlainField(values, site.image);
  return {
    author: readPlainField(values, site.author),
    site: site.site ?? null,
    language: /^[a-z]{2,3}\b/.exec(readPlainField(values, site.language) ?? '')?.[0] ?? null,
    published: day === null ? null : { day, from: 'api' },
    description: readPlainField(values, site.description),
    image: image !== null && /^https?:/.test(image) && URL.canParse(image) ? image : null,
  };
}

/** Returns a field as plain text without markup, or null. */
function readPlainField(values: unknown, path: string | undefined): string | null {
  return path === undefined ? null : toPlainText(readFieldText(values, path).replace(/<[^<>]*>/g, ''));
}

/** Returns the day of a field: a date as text, or seconds since the epoch. */
function readDayField(value: unknown, path: string | undefined): string | null {
  const found = path === undefined ? undefined : findField(value, path);
  if (typeof found === 'string') return readDay(found);
  if (typeof found !== 'number' || !(Math.abs(found) < SECONDS_MAX)) return null;
  return readDay(new Date(found * 1_000).toISOString());
}
const SECONDS_MAX = 8e12;

function writePart(part: SitePart, value: unknown, writing: SiteWriteContext): WrittenPart[] {
  if ('markdown' in part) return writeMarkdownPart(part.markdown, value, writing);
  if ('each' in part) return writeListPart(part, value, writing);
  return writeHtmlPart(renderPart(part, value), writing.page);
}

function renderPart(part: Exclude<SitePart, Each | { markdown: string }>, value: unknown): string {
  if ('html' in part) return readFieldText(value, part.html);
  if ('text' in part) return renderParagraphs(readFieldText(value, part.text));
  return renderFacts(part.facts.map(([name, path]) => [name, readFieldText(value, path)]));
}

function writeHtmlPart(html: string, page: string): WrittenPart[] {
  const written = html === '' ? null : convertToMarkdown([html], page);
  return written === null || written.markdown === '' ? [] : [written];
}

/** Writes a Markdown field. The links of a text that is an answer of its own are relative to the address of that answer. */
function writeMarkdownPart(path: string, value: unknown, { page, answers }: SiteWriteContext): WrittenPart[] {
  const text = readFieldText(value, path);
  if (text === '') return [];
  const { markdown, headings, links } = readMarkdown(text, answers[Number(path)]?.url ?? page);
  return markdown === '' ? [] : [{ markdown, headings, links }];
}

function writeListPart(part: Each, value: unknown, writing: SiteWriteContext): WrittenPart[] {
  const items = writeItems(part, value, { writing, depth: 0 });
  if (items.length === 0 || part.heading === undefined) return items;
  return [{ markdown: `## ${part.heading}`, headings: [part.heading], links: [] }, ...items];
}

/** Writes the items of a list, each followed by the replies to it. */
function writeItems(
  part: Each,
  value: unknown,
  { writing, depth }: { writing: SiteWriteContext; depth: number },
): WrittenPart[] {
  if (depth > DEPTH_MAX) return [];
  const found: WrittenPart[] = [];
  const items =
    depth === 0 ? readFieldList(value, part.each) : readFieldList(value, part.replies ?? part.each);
  for (const item of items) {
    if (writing.itemsLeft <= 0) break;
    writing.itemsLeft -= 1;
    const parts = part.parts.flatMap((each) => writePart(each, item, writing));
    if (parts.length > 0) found.push(...writeHtmlPart(renderByline(part, item), writing.page), ...parts);
    if (part.replies !== undefined) found.push(...writeItems(part, item, { writing, depth: depth + 1 }));
  }
  return found;
}

function renderByline({ by, at }: Each, item: unknown): string {
  const day = readDayField(item, at);
  return `<p><strong>${escapeHtml(readFieldText(item, by) || 'Unknown')}</strong>${day === null ? '' : `, ${day}`}</p>`;
}
