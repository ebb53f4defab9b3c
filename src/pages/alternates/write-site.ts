import type { FetchedResponse } from '../../platform/net/fetch-types.ts';
import type { Article } from '../article.ts';
import { readDay } from '../extract/dates/read-day.ts';
import { toPlainText } from '../extract/metadata/author.ts';
import { convertToMarkdown } from '../formats/convert-html.ts';
import { readMarkdown } from '../formats/markdown/read-markdown.ts';
import { buildPlainArticle } from '../formats/plain-article.ts';
import { ALL_SITES } from './sites/all-sites.ts';
import type { PublicSite, SitePart } from './sites/public-site.ts';

const FIRST_CHARS_MAX = 2_000_000;

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

/**
 * Returns the value at a path such as `info.name` or `items.0.title`. Of several paths (`a|b`), the first with a value counts; undefined
 * if none has one.
 */
function findField(value: unknown, paths: string): unknown {
  for (const path of paths.split('|')) {
    const found = readPath(value, path);
    if (found !== undefined && found !== null && found !== '') return found;
  }
  return undefined;
}

function readPath(value: unknown, path: string): unknown {
  if (path === '') return value;
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name]; // an object, or a list with its numbers as names
  }
  return found;
}

/** Returns the list at a path; [] when there is none. */
function readFieldList(value: unknown, path: string): unknown[] {
  const found = findField(value, path);
  return Array.isArray(found) ? found : [];
}

/** Returns a string, a number or the strings of a list at a path, as text; '' when there is none. */
function readFieldText(value: unknown, path: string): string {
  return toText(findField(value, path));
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (!Array.isArray(value)) return '';
  return value
    .map((one) => (typeof one === 'object' ? readFieldText(one, 'name|title|label') : toText(one)))
    .filter((text) => text !== '')
    .join(', ');
}

/** Fills the `{0.name}` of an address in from the first answer; null if a field is missing or the first answer is no JSON. */
export function fillAddress(address: string, responses: readonly FetchedResponse[]): string | null {
  if (!address.includes('{')) return address;
  const [first] = responses;
  if (first === undefined || first.body.length > FIRST_CHARS_MAX) return null;
  const fields = [parseJsonOrNull(new TextDecoder().decode(first.body))];
  let isComplete = true;
  const filled = address.replace(/\{([\w.]{1,80})\}/g, (_all, path: string) => {
    const value = findField(fields, path);
    isComplete &&= typeof value === 'string' || typeof value === 'number';
    return encodeURIComponent(String(value));
  });
  return isComplete ? filled : null;
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Reads an oEmbed answer (https://oembed.com) as an article: what is embedded, by whom and where; null if it names nothing. */
export function readOembed(value: unknown, page: string): Article | null {
  const title = readFieldText(value, 'title');
  const author = readFieldText(value, 'author_name');
  const html = readFieldText(value, 'html');
  if (title === '' && author === '' && html === '') return null;
  const picture = readFieldText(value, 'thumbnail_url|url');
  const isPhoto = readFieldText(value, 'type') === 'photo';
  const { markdown, headings, links } = convertToMarkdown(
    [
      ...(title === '' ? [] : [`<h1>${escapeHtml(title)}</h1>`]),
      ...(html === '' ? [] : [html]),
      ...(picture === '' || !(isPhoto || html === '')
        ? []
        : [`<p><img src="${escapeHtml(picture)}" alt="${escapeHtml(title)}"></p>`]),
      escapeHtml(readFieldText(value, 'description')),
      renderFacts([
        ['Author', author],
        ['Address of the author', readFieldText(value, 'author_url')],
        ['Provider', readFieldText(value, 'provider_name')],
      ]),
    ],
    page,
  );
  return {
    ...buildPlainArticle(page, { kind: 'json', title, markdown, headings, links, rawChars: markdown.length }),
    author: author === '' ? null : author,
    site: readFieldText(value, 'provider_name') || null,
    image: URL.canParse(picture) ? picture : null,
  };
}

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Renders names and values as a list; pairs without a value are left out, addresses become links. */
function renderFacts(facts: readonly (readonly [name: string, value: string])[]): string {
  const items = facts.flatMap(([name, value]) => {
    if (value === '') return [];
    const shown = escapeHtml(value);
    const isAddress = /^https?:\/\/\S+$/.test(value);
    return [`<li>${escapeHtml(name)}: ${isAddress ? `<a href="${shown}">${shown}</a>` : shown}</li>`];
  });
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

/** Renders plain text as paragraphs that keep their line breaks. */
function renderParagraphs(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((part) => `<p>${escapeHtml(part.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('');
}
