import type { Article } from '../article.ts';
import { absoluteLink, plainArticle } from './plain-article.ts';

const HEADINGS_MAX = 500;
const LINKS_MAX = 2_000;

/** A Markdown body as itself: front matter becomes metadata, relative links absolute. Code is left alone. */
export function readMarkdown(text: string, url: string): Article {
  const { matter, body } = splitFrontMatter(text.replace(/\r\n?/g, '\n'));
  const lines = body.split('\n');
  const isCode = codeLines(lines);
  const links = new Set<string>();
  const markdown = lines
    .map((line, at) => (isCode[at] ? line : withAbsoluteLinks(line, url, links)))
    .join('\n')
    .trim();
  const headings = headingsOf(lines, isCode);
  const day = /^\d{4}-\d{2}-\d{2}/.exec(matter.get('date') ?? '')?.[0];
  return plainArticle(url, {
    kind: 'markdown',
    title: matter.get('title') ?? headings[0] ?? '',
    markdown,
    rawChars: text.length,
    headings,
    links: [...links],
    author: matter.get('author') ?? null,
    description: matter.get('description') ?? null,
    published: day === undefined ? null : { day, from: 'meta' },
  });
}

/** YAML front matter at the very start: its top-level `name: value` lines, and the text after it. */
function splitFrontMatter(text: string): { matter: Map<string, string>; body: string } {
  const block = /^---[ \t]*\n([\s\S]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text);
  const lines = block?.[1]?.split('\n') ?? [];
  if (block === null || !lines.some((line) => /^[\w-]+:(?:\s|$)/.test(line)))
    return { matter: new Map(), body: text };
  const matter = new Map<string, string>();
  for (const line of lines) {
    const pair = /^([\w-]+):\s(.+)$/s.exec(line);
    const value = pair?.[2]?.trim().replace(/^(["'])(.*)\1$/, '$2') ?? '';
    if (pair?.[1] !== undefined && value !== '' && !/^[[{|>]/.test(value))
      matter.set(pair[1].toLowerCase(), value);
  }
  return { matter, body: text.slice(block[0].length) };
}

/** Marks the lines inside fences, the fences included. */
function codeLines(lines: string[]): boolean[] {
  let fence: string | null = null;
  return lines.map((line) => {
    const run = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line);
    const mark = run?.[1] ?? '';
    if (fence === null) {
      if (mark === '') return false;
      fence = mark;
      return true;
    }
    if (mark.startsWith(fence) && (run?.[2] ?? '').trim() === '') fence = null;
    return true;
  });
}

function headingsOf(lines: string[], isCode: boolean[]): string[] {
  const found: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (found.length >= HEADINGS_MAX) break;
    if (isCode[at]) continue;
    const hashes = /^ {0,3}#{1,6}[ \t](.+)$/s.exec(line)?.[1];
    const underlined =
      /^ {0,3}(?:=+|-{2,})[ \t]*$/.test(lines[at + 1] ?? '') && /^ {0,3}[^\s>|#*+-]/.test(line);
    const heading = hashes ?? (underlined && !isCode[at + 1] ? line : null);
    if (heading !== null) found.push(plainHeading(heading));
  }
  return found.filter((heading) => heading !== '');
}

function plainHeading(heading: string): string {
  return (
    heading
      .replace(/[ \t]#+[ \t]*$/, '')
      // Badges are pictures, most of them within links.
      .replace(/!\[[^[\]]*\]\([^()]*\)/g, '')
      .replace(/\[\s*\]\([^()]*\)/g, '')
      .replace(/!?\[([^[\]]*)\]\([^[)]*\)/g, '$1')
      .replace(/[`*]|<[^<>]*>/g, '')
      .trim()
  );
}

/** Inline links and images, and reference definitions; code spans are left alone. */
function withAbsoluteLinks(line: string, base: string, links: Set<string>): string {
  const definition = /^( {0,3}\[[^\]]+\]:\s*)<?([^\s>]+)>?(.*)$/s.exec(line);
  if (definition !== null) {
    return `${definition[1]}${absolute(definition[2] ?? '', { base, links, isImage: false })}${definition[3]}`;
  }
  return line
    .split(/((?<!`)`+[^`]+`+)/)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replace(
            /(!?)(\[(?:[^[\]]|\[[^[\]]*\])*\]\()([^\s()<>]+)/g,
            (_all, bang, text, href) =>
              `${bang}${nested(text, base, links)}${absolute(href, { base, links, isImage: bang === '!' })}`,
          ),
    )
    .join('');
}

/** A badge is an image inside the text of a link. */
function nested(text: string, base: string, links: Set<string>): string {
  return text.replace(
    /(!\[[^[\]]*\]\()([^\s()<>]+)/g,
    (_all, start, href) => `${start}${absolute(href, { base, links, isImage: true })}`,
  );
}

function absolute(
  href: string,
  { base, links, isImage }: { base: string; links: Set<string>; isImage: boolean },
): string {
  if (href.startsWith('#')) return href;
  const target = absoluteLink(href, base);
  if (target === null) return href;
  if (!isImage && links.size < LINKS_MAX) links.add(target);
  return /^[a-z][a-z\d+.-]*:/i.test(href) ? href : (URL.parse(href, base)?.href ?? href);
}
