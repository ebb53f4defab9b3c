import type { Article } from '../article.ts';
import { readDay } from '../extract/dates/read-day.ts';
import { toPlainText } from '../extract/metadata/plain.ts';
import { readMarkdown } from '../formats/markdown/read-markdown.ts';
import { markdownOfHtml } from '../formats/markdown-of-html.ts';
import { plainArticle } from '../formats/plain-article.ts';
import { factsHtml, htmlText, paragraphsHtml } from './answer-html.ts';
import { fieldOf, listAt, textAt } from './field-of.ts';
import { ALL_SITES } from './sites/all-sites.ts';
import type { PublicSite, SitePart } from './sites/public-site.ts';

/** Items of all lists together, and how deep replies may nest. */
const ITEMS_MAX = 1_000;
const DEPTH_MAX = 30;

type Answer = { value: unknown; url: string };
type Writing = { page: string; answers: Answer[]; itemsLeft: number };
type Each = Extract<SitePart, { each: string }>;
type Written = { markdown: string; headings: string[]; links: string[] };

/** The answers of a public interface -> the article of the page. */
export function writeSite(answers: Answer[], asked: { page: string; site: string }): Article | null {
  const site = ALL_SITES.find(({ name }) => name === asked.site);
  if (site === undefined) return null;
  const { page } = asked;
  const values = answers.map(({ value }) => value);
  const title = told(values, site.title) ?? '';
  const writing = { page, answers, itemsLeft: ITEMS_MAX };
  const written = site.parts.flatMap((part) => writePart(part, values, writing));
  if (written.length === 0 || title === '') return null;
  const markdown = [`# ${title}`, ...written.map((part) => part.markdown)].join('\n\n');
  const headings = [title, ...written.flatMap((part) => part.headings)];
  const links = [...new Set(written.flatMap((part) => part.links))];
  const rawChars = JSON.stringify(values).length;
  return {
    ...plainArticle(page, { kind: 'json', title, markdown, headings, links, rawChars }),
    ...metadataOf(site, values),
  };
}

function metadataOf(site: PublicSite, values: unknown[]): Partial<Article> {
  const day = dayAt(values, site.published);
  const image = told(values, site.image);
  return {
    author: told(values, site.author),
    site: site.site ?? null,
    language: /^[a-z]{2,3}\b/.exec(told(values, site.language) ?? '')?.[0] ?? null,
    published: day === null ? null : { day, from: 'api' },
    description: told(values, site.description),
    image: image !== null && /^https?:/.test(image) && URL.canParse(image) ? image : null,
  };
}

/** A field as plain text without markup, or null. */
function told(values: unknown, path: string | undefined): string | null {
  return path === undefined ? null : toPlainText(textAt(values, path).replace(/<[^<>]*>/g, ''));
}

/** The day of a field: a date as text, or seconds since the epoch. */
function dayAt(value: unknown, path: string | undefined): string | null {
  const found = path === undefined ? undefined : fieldOf(value, path);
  if (typeof found === 'string') return readDay(found);
  if (typeof found !== 'number' || !(Math.abs(found) < SECONDS_MAX)) return null;
  return readDay(new Date(found * 1_000).toISOString());
}
const SECONDS_MAX = 8e12;

function writePart(part: SitePart, value: unknown, writing: Writing): Written[] {
  if ('markdown' in part) return markdownPart(part.markdown, value, writing);
  if ('each' in part) return eachPart(part, value, writing);
  return htmlPart(htmlOf(part, value), writing.page);
}

function htmlOf(part: Exclude<SitePart, Each | { markdown: string }>, value: unknown): string {
  if ('html' in part) return textAt(value, part.html);
  if ('text' in part) return paragraphsHtml(textAt(value, part.text));
  return factsHtml(part.facts.map(([name, path]) => [name, textAt(value, path)]));
}

function htmlPart(html: string, page: string): Written[] {
  const written = html === '' ? null : markdownOfHtml([html], page);
  return written === null || written.markdown === '' ? [] : [written];
}

/** Links of a text that is an answer of its own stand on the address of that answer. */
function markdownPart(path: string, value: unknown, { page, answers }: Writing): Written[] {
  const text = textAt(value, path);
  if (text === '') return [];
  const { markdown, headings, links } = readMarkdown(text, answers[Number(path)]?.url ?? page);
  return markdown === '' ? [] : [{ markdown, headings, links }];
}

function eachPart(part: Each, value: unknown, writing: Writing): Written[] {
  const items = itemsOf(part, value, { writing, depth: 0 });
  if (items.length === 0 || part.heading === undefined) return items;
  return [{ markdown: `## ${part.heading}`, headings: [part.heading], links: [] }, ...items];
}

/** The items of a list, each followed by the replies to it. */
function itemsOf(
  part: Each,
  value: unknown,
  { writing, depth }: { writing: Writing; depth: number },
): Written[] {
  if (depth > DEPTH_MAX) return [];
  const found: Written[] = [];
  const items = depth === 0 ? listAt(value, part.each) : listAt(value, part.replies ?? part.each);
  for (const item of items) {
    if (writing.itemsLeft <= 0) break;
    writing.itemsLeft -= 1;
    const parts = part.parts.flatMap((each) => writePart(each, item, writing));
    if (parts.length > 0) found.push(...htmlPart(lineAbove(part, item), writing.page), ...parts);
    if (part.replies !== undefined) found.push(...itemsOf(part, item, { writing, depth: depth + 1 }));
  }
  return found;
}

function lineAbove({ by, at }: Each, item: unknown): string {
  const day = dayAt(item, at);
  return `<p><strong>${htmlText(textAt(item, by) || 'Unknown')}</strong>${day === null ? '' : `, ${day}`}</p>`;
}
