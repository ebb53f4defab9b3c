/**
 * Reads a Markdown file as an article: front matter, links, inline HTML and headings. It promises that code is left alone, byte for byte.
 * It is not a full CommonMark parser: it scans lines and links, and leaves everything else as written.
 */
import { decodeHTMLStrict } from 'entities/decode';
import { findCodeSpans } from '../../../text/markup/code-spans.ts';
import { classifyLines, type LineKind } from '../../../text/markup/scan-lines.ts';
import type { Article } from '../../article.ts';
import { readDay } from '../../extract/dates/read-day.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { buildPlainArticle, parseFileName } from '../plain-article.ts';
import { convertInlineHtml } from './inline-html.ts';
import { type LinkContext, parseDefinition, rewriteLinks } from './rewrite-links.ts';

const HEADINGS_MAX = 500;

/**
 * Reads a Markdown body: front matter becomes metadata, HTML becomes Markdown, references become inline links, relative links become
 * absolute; badges, comments and names of anchors are dropped. Code is left alone, byte for byte.
 */
export function readMarkdown(text: string, url: string): Article {
  const { matter, body } = splitFrontMatter(text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD'));
  const lines = body.split('\n');
  const kinds = classifyLines(lines, { readsHtml: true });
  const { definitions, taken } = collectDefinitions(lines, kinds);
  const context: LinkContext = { base: url, definitions, links: new Set() };
  const markdown = writeBlocks(groupLines(lines, kinds, taken), context);
  const written = markdown.split('\n');
  const headings = collectHeadings(written);
  const day = readDay(matter.get('date') ?? matter.get('published') ?? matter.get('pubdate') ?? '');
  const language = /^[a-z]{2,3}\b/i.exec(matter.get('lang') ?? matter.get('language') ?? '')?.[0];
  return buildPlainArticle(url, {
    kind: 'markdown',
    title: matter.get('title') ?? findTitle(written, headings) ?? parseRepositoryName(url) ?? '',
    markdown,
    rawChars: text.length,
    headings: headings.map((heading) => heading.text).slice(0, HEADINGS_MAX),
    links: [...context.links],
    author: matter.get('author') ?? matter.get('authors') ?? null,
    description: matter.get('description') ?? matter.get('summary') ?? null,
    language: language?.toLowerCase() ?? null,
    published: day === null ? null : { day, from: 'meta' },
  });
}

/** Collects the definitions of references by their labels, and the lines that they occupy. */
function collectDefinitions(
  lines: readonly string[],
  kinds: readonly LineKind[],
): { definitions: Map<string, string>; taken: Set<number> } {
  const definitions = new Map<string, string>();
  const taken = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (kinds[at] !== 'text' || taken.has(at)) continue;
    const definition = parseDefinition(line, kinds[at + 1] === 'text' ? (lines[at + 1] ?? '') : '');
    if (definition === null) continue;
    for (let below = 0; below < definition.lines; below += 1) taken.add(at + below);
    // As in CommonMark, the first definition of a label counts.
    if (!definitions.has(definition.label)) definitions.set(definition.label, definition.target);
  }
  return { definitions, taken };
}

type Block = { kind: LineKind; lines: string[] };

/** Groups runs of lines of one kind, without the lines in `taken`. */
function groupLines(
  lines: readonly string[],
  kinds: readonly LineKind[],
  taken: ReadonlySet<number>,
): Block[] {
  const blocks: Block[] = [];
  for (const [at, line] of lines.entries()) {
    const kind = kinds[at] ?? 'text';
    if (taken.has(at)) continue;
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks;
}

/** Writes the blocks; where a block leaves nothing, the blank lines after it are dropped too. */
function writeBlocks(blocks: readonly Block[], context: LinkContext): string {
  const parts: string[] = [];
  let isDropping = true;
  for (const block of blocks) {
    const part = block.kind === 'blank' ? '' : writeBlock(block, context);
    if (block.kind === 'blank' && isDropping) continue;
    if (block.kind !== 'blank' && part === '') isDropping = true;
    else {
      isDropping = false;
      parts.push(block.kind === 'blank' ? block.lines.join('\n') : part);
    }
  }
  return parts.join('\n').trimEnd();
}

function writeBlock({ kind, lines }: Block, context: LinkContext): string {
  const text = lines.join('\n');
  if (kind === 'text') return dropEmptyLines(rewriteInline(text, context), text);
  if (kind !== 'html') return text;
  const { markdown } = convertToMarkdown([text], context.base);
  return rewriteInline(markdown, context);
}

/** Drops lines that held only dropped content. */
function dropEmptyLines(written: string, source: string): string {
  if (written === source) return written;
  return written
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*\\$/.test(line))
    .join('\n');
}

/** Rewrites the tags and links of a text, except in code spans and after a backslash. */
function rewriteInline(text: string, context: LinkContext): string {
  const kept: string[] = [];
  const keep = (part: string): string => `\0${kept.push(part) - 1}\0`;
  const open = replaceCodeSpans(text, keep).replace(/\\[!-/:-@[-`{-~]/g, keep);
  const restore = (part: string): string => restoreParts(part, kept);
  return restore(rewriteLinks(convertInlineHtml(open), { ...context, restored: restore }));
}

/** Puts the kept parts back in place of their marks. */
function restoreParts(text: string, kept: readonly string[]): string {
  return text.replace(/\0(\d{1,9})\0/g, (_all, at: string) => kept[Number(at)] ?? '');
}

/** Replaces the code spans of a paragraph. */
function replaceCodeSpans(text: string, keep: (part: string) => string): string {
  let done = '';
  let from = 0;
  for (const { start, end } of findCodeSpans(text)) {
    done += text.slice(from, start) + keep(text.slice(start, end));
    from = end;
  }
  return done + text.slice(from);
}

type Heading = { text: string; level: number; line: number };

function collectHeadings(lines: readonly string[]): Heading[] {
  const kinds = classifyLines(lines, { readsHtml: true });
  const found: Heading[] = [];
  for (const [line, text] of lines.entries()) {
    if (kinds[line] !== 'text') continue;
    const [, hashes, hashed] = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(text) ?? [];
    const below = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(lines[line + 1] ?? '')?.[1];
    const underlined = below !== undefined && kinds[line + 1] === 'text' && /^ {0,3}[^\s>|#*+-]/.test(text);
    const heading = readHeadingText(hashed ?? (underlined ? text : ''));
    const level = hashes?.length ?? (below?.startsWith('=') ? 1 : 2);
    if (heading !== '') found.push({ text: heading, level, line });
  }
  return found;
}

/** Returns the text of a heading without its pictures, or the description of a heading that is only a picture. */
function readHeadingText(heading: string): string {
  return stripMarkup(heading.replace(IMAGE, '')) || stripMarkup(heading.replace(IMAGE, '$1'));
}
const IMAGE = /!\[([^[\]]{0,999})\]\([^()]{0,8192}\)/g;

function stripMarkup(heading: string): string {
  const text = heading
    .replace(/(?<![ \t])[ \t]+#+[ \t]*$/, '')
    .replace(/(?<!\s)\s*\{#[\w-]{1,100}\}\s*$/, '')
    .replace(/\[([^[\]]{0,999})\]\([^()]{0,8192}\)/g, '$1')
    .replace(/<\/?[a-z][^<>]{0,999}>/gi, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[`*]/g, '');
  return decodeHTMLStrict(text).replace(/\s+/g, ' ').trim();
}

/** Returns the first heading of the first level, or the first of all if no text precedes it. */
function findTitle(lines: readonly string[], headings: readonly Heading[]): string | null {
  const top = headings.find(({ level }) => level === 1);
  const [first] = headings;
  if (top !== undefined || first === undefined) return top?.text ?? null;
  const above = lines.slice(0, first.line).filter((line) => /[\p{L}\p{N}]/u.test(line.replace(PICTURE, '')));
  return above.length === 0 ? first.text : null;
}
const PICTURE = /!?\[[^[\]]{0,999}\]\([^()]{0,8192}\)/g;

/** Returns the repository's name, which is the title of a README without one. */
function parseRepositoryName(url: string): string | null {
  const { hostname, pathname } = new URL(url);
  const isRaw = hostname === 'raw.githubusercontent.com' || pathname.includes('/raw/');
  const name = pathname.split('/')[2];
  return isRaw && name !== undefined && /^readme\b/i.test(parseFileName(url))
    ? decodeURIComponent(name)
    : null;
}

/** The fields of a page's front matter by lower-case name; the values of a list are joined by commas. */
type FrontMatter = Map<string, string>;

const CHARS_MAX = 20_000;

/** Splits off front matter at the very start (YAML between `---`, TOML between `+++`): its top-level fields, and the text after it. */
function splitFrontMatter(text: string): { matter: FrontMatter; body: string } {
  const none = { matter: new Map(), body: text };
  const mark = /^(---|\+\+\+)[ \t]*\n/.exec(text);
  if (mark === null) return none;
  const end = text.slice(0, CHARS_MAX).indexOf(`\n${mark[1]}`, mark[0].length - 1);
  const rest = end === -1 ? '' : text.slice(end + 4);
  if (end === -1 || !/^[ \t]*(?:\n|$)/.test(rest)) return none;
  const lines = text.slice(mark[0].length, end).split('\n');
  const matter = parseFields(lines);
  const isMatter = lines.some((line) => /^[\w-]+(?::(?:\s|$)|\s*=)/.test(line));
  return isMatter ? { matter, body: rest } : none;
}

function parseFields(lines: readonly string[]): FrontMatter {
  const fields: FrontMatter = new Map();
  let name = '';
  for (const line of lines) {
    const field =
      /^([\w-]{1,60}):(?:[ \t]+(\S.*))?$/.exec(line) ?? /^([\w-]{1,60})\s{0,9}=\s{0,9}(\S.*)$/.exec(line);
    const item = /^\s{0,9}-\s{1,9}(?:name:\s{1,9})?(\S.*)$/.exec(line)?.[1];
    if (field?.[1] !== undefined) {
      name = field[1].toLowerCase();
      addField(fields, name, field[2] ?? '');
    } else if (item !== undefined && name !== '') addField(fields, name, item);
  }
  return fields;
}

function addField(fields: FrontMatter, name: string, written: string): void {
  const text = written.trim();
  // A block's text follows on its own lines, and an object is no plain field: both are skipped.
  if (/^[{|>&!]/.test(text)) return;
  const items = /^\[(.*)\]$/.exec(text)?.[1]?.split(',') ?? [text];
  for (const item of items.map((one) => unquote(one.trim())).filter((one) => one !== '')) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? item : `${known}, ${item}`);
  }
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1/.exec(text);
  return quoted === null ? (text.split(' #')[0] ?? '').trim() : (quoted[2] ?? '');
}
