import { decodeHTMLStrict } from 'entities/decode';
import type { Article } from '../../article.ts';
import { readDay } from '../../extract/dates/read-day.ts';
import { markdownOfHtml } from '../markdown-of-html.ts';
import { fileName, plainArticle } from '../plain-article.ts';
import { splitFrontMatter } from './front-matter.ts';
import { withoutTags } from './inline-html.ts';
import { definitionIn, type LinkContext, rewriteLinks } from './rewrite-links.ts';
import { type LineKind, lineKinds } from './scan-lines.ts';

const HEADINGS_MAX = 500;

/**
 * A Markdown body: front matter becomes metadata, HTML in it Markdown, references inline links; relative links become absolute,
 * and badges, comments and names of anchors are dropped. Code is left alone, byte for byte.
 */
export function readMarkdown(text: string, url: string): Article {
  const { matter, body } = splitFrontMatter(text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD'));
  const lines = body.split('\n');
  const kinds = lineKinds(lines);
  const { definitions, taken } = definitionsOf(lines, kinds);
  const context: LinkContext = { base: url, definitions, links: new Set() };
  const markdown = writeBlocks(blocksOf(lines, kinds, taken), context);
  const written = markdown.split('\n');
  const headings = headingsOf(written);
  const day = readDay(matter.get('date') ?? matter.get('published') ?? matter.get('pubdate') ?? '');
  const language = /^[a-z]{2,3}\b/i.exec(matter.get('lang') ?? matter.get('language') ?? '')?.[0];
  return plainArticle(url, {
    kind: 'markdown',
    title: matter.get('title') ?? titleOf(written, headings) ?? repositoryOf(url) ?? '',
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

/** The definitions of references by their labels, and the lines that they take. */
function definitionsOf(
  lines: readonly string[],
  kinds: readonly LineKind[],
): { definitions: Map<string, string>; taken: Set<number> } {
  const definitions = new Map<string, string>();
  const taken = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (kinds[at] !== 'text' || taken.has(at)) continue;
    const definition = definitionIn(line, kinds[at + 1] === 'text' ? (lines[at + 1] ?? '') : '');
    if (definition === null) continue;
    for (let below = 0; below < definition.lines; below += 1) taken.add(at + below);
    // The first definition of a label counts.
    if (!definitions.has(definition.label)) definitions.set(definition.label, definition.target);
  }
  return { definitions, taken };
}

type Block = { kind: LineKind; lines: string[] };

/** Runs of lines of one kind, without those that are taken. */
function blocksOf(lines: readonly string[], kinds: readonly LineKind[], taken: ReadonlySet<number>): Block[] {
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

/** Where a block leaves nothing, the blank lines behind it go too. */
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
  if (kind === 'text') return withoutEmptyLines(inline(text, context), text);
  if (kind !== 'html') return text;
  const { markdown } = markdownOfHtml([text], context.base);
  return inline(markdown, context);
}

/** Lines that held nothing but what was dropped go with it. */
function withoutEmptyLines(written: string, source: string): string {
  if (written === source) return written;
  return written
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*\\$/.test(line))
    .join('\n');
}

/** Rewrites tags and links of a text, never those in code spans or behind a backslash. */
function inline(text: string, context: LinkContext): string {
  const kept: string[] = [];
  const keep = (part: string): string => `\0${kept.push(part) - 1}\0`;
  const open = withoutCode(text, keep).replace(/\\[!-/:-@[-`{-~]/g, keep);
  const restore = (part: string): string => restored(part, kept);
  return restore(rewriteLinks(withoutTags(open), { ...context, restored: restore }));
}

/** Spans within spans: a part that was kept may itself hold one. */
function restored(text: string, kept: readonly string[]): string {
  return text.replace(/\0(\d{1,9})\0/g, (_all, at: string) => kept[Number(at)] ?? '');
}

/** Replaces code spans: a run of backticks, up to the next run of the same length within the paragraph. */
function withoutCode(text: string, keep: (part: string) => string): string {
  if (!text.includes('`')) return text;
  const runs = [...text.matchAll(/`+/g)];
  const next = nextAlike(runs.map(([run]) => run.length));
  let done = '';
  let from = 0;
  for (const [at, run] of runs.entries()) {
    const isOpening = run.index >= from && !isEscaped(text, run.index);
    const closing = isOpening ? runs[next[at] ?? -1] : undefined;
    if (closing === undefined) continue;
    const stop = closing.index + run[0].length;
    done += text.slice(from, run.index) + keep(text.slice(run.index, stop));
    from = stop;
  }
  return done + text.slice(from);
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

/** For each length the place of the next one that is equal; -1 for the last of its kind. */
function nextAlike(lengths: readonly number[]): number[] {
  const later = new Map<number, number>();
  const next = lengths.map(() => -1);
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    const length = lengths[at] ?? 0;
    next[at] = later.get(length) ?? -1;
    later.set(length, at);
  }
  return next;
}

type Heading = { text: string; level: number; line: number };

function headingsOf(lines: readonly string[]): Heading[] {
  const kinds = lineKinds(lines);
  const found: Heading[] = [];
  for (const [line, text] of lines.entries()) {
    if (kinds[line] !== 'text') continue;
    const [, hashes, hashed] = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(text) ?? [];
    const below = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(lines[line + 1] ?? '')?.[1];
    const underlined = below !== undefined && kinds[line + 1] === 'text' && /^ {0,3}[^\s>|#*+-]/.test(text);
    const heading = plainHeading(hashed ?? (underlined ? text : ''));
    const level = hashes?.length ?? (below?.startsWith('=') ? 1 : 2);
    if (heading !== '') found.push({ text: heading, level, line });
  }
  return found;
}

/** The text of a heading without its pictures; of one that is a picture, its description. */
function plainHeading(heading: string): string {
  return withoutMarkup(heading.replace(IMAGE, '')) || withoutMarkup(heading.replace(IMAGE, '$1'));
}
const IMAGE = /!\[([^[\]]{0,999})\]\([^()]{0,8192}\)/g;

function withoutMarkup(heading: string): string {
  const text = heading
    .replace(/(?<![ \t])[ \t]+#+[ \t]*$/, '')
    .replace(/(?<!\s)\s*\{#[\w-]{1,100}\}\s*$/, '')
    .replace(/\[([^[\]]{0,999})\]\([^()]{0,8192}\)/g, '$1')
    .replace(/<\/?[a-z][^<>]{0,999}>/gi, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[`*]/g, '');
  return decodeHTMLStrict(text).replace(/\s+/g, ' ').trim();
}

/** The first heading of the first level, or the first of all if no text stands above it. */
function titleOf(lines: readonly string[], headings: readonly Heading[]): string | null {
  const top = headings.find(({ level }) => level === 1);
  const [first] = headings;
  if (top !== undefined || first === undefined) return top?.text ?? null;
  const above = lines.slice(0, first.line).filter((line) => /[\p{L}\p{N}]/u.test(line.replace(PICTURE, '')));
  return above.length === 0 ? first.text : null;
}
const PICTURE = /!?\[[^[\]]{0,999}\]\([^()]{0,8192}\)/g;

/** A README without a title is that of its repository. */
function repositoryOf(url: string): string | null {
  const { hostname, pathname } = new URL(url);
  const isRaw = hostname === 'raw.githubusercontent.com' || pathname.includes('/raw/');
  const name = pathname.split('/')[2];
  return isRaw && name !== undefined && /^readme\b/i.test(fileName(url)) ? decodeURIComponent(name) : null;
}
