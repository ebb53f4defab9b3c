/**
 * Rewrites our own Markdown in another style (headings, bullets, emphasis, links, images). It changes notation only, never the
 * words. It does not parse arbitrary Markdown.
 */
import { rewriteOutsideCode } from '../markup/code-spans.ts';
import { createLineScanner, type LineStart } from '../markup/scan-lines.ts';
import { LINK } from '../markup/visible-text.ts';

/** A Markdown style; absent options leave the text as it is. */
export type MarkdownStyle = {
  heading?: 'atx' | 'setext';
  rule?: string;
  bullet?: '-' | '*' | '+';
  em?: '*' | '_';
  strong?: '**' | '__';
  links?: 'inlined' | 'referenced' | 'discarded';
  images?: 'all' | 'none' | 'alt';
};

const SETEXT = ['', '=', '-'];
const UNDERLINE_CHARS_MAX = 40;

/** Rewrites our own Markdown in another style. Code, escapes and addresses stay as they are. */
export function restyleMarkdown(markdown: string, style: MarkdownStyle): string {
  /** The number of each address. */
  const references = new Map<string, number>();
  const lines: string[] = [];
  const scanner = createLineScanner();
  for (const line of markdown.split('\n')) {
    const scanned = scanner.scan(line);
    if (scanned.kind === 'text') lines.push(...restyleLine(line, scanned, { style, references }));
    else lines.push(line);
  }
  const text = lines.join('\n').trimEnd();
  return references.size === 0
    ? text
    : `${text}\n\n${[...references].map(([url, number]) => `[${number}]: ${url}`).join('\n')}`;
}

type Restyling = { style: MarkdownStyle; references: Map<string, number> };

function restyleLine(line: string, start: LineStart, { style, references }: Restyling): string[] {
  const before = line.slice(0, line.length - start.rest.length);
  if (start.isRule) return [style.rule === undefined ? line : line.slice(0, -start.rest.length) + style.rule];
  const bullet = style.bullet ?? '-';
  const marked = before.replace(/[-*+](?=[ \t]+$)/, bullet);
  const text = restyleInline(start.rest, style, references);
  const underline = SETEXT[start.headingLevel];
  if (style.heading !== 'setext' || underline === undefined || underline === '') return [marked + text];
  const title = text.slice(start.headingLevel).trim();
  const indent = marked.replace(/[^>]/g, ' ');
  return [
    marked + title,
    indent + underline.repeat(Math.min(UNDERLINE_CHARS_MAX, Math.max(3, title.length))),
  ];
}

function restyleInline(text: string, style: MarkdownStyle, references: Map<string, number>): string {
  return rewriteOutsideCode(text, (part) => restyleEmphasis(restyleLinks(part, style, references), style));
}

function restyleLinks(
  text: string,
  { links, images }: MarkdownStyle,
  references: Map<string, number>,
): string {
  const withImages =
    images === undefined || images === 'all'
      ? text
      : text.replace(LINK, (all, alt) => (all.startsWith('!') ? (images === 'alt' ? alt : '') : all));
  if (links === undefined || links === 'inlined') return withImages;
  return withImages.replace(LINK, (all, shown: string) => {
    if (all.startsWith('!')) return all;
    if (links === 'discarded') return shown;
    const url = all.slice(all.lastIndexOf('](') + 2, -1);
    const number = references.get(url) ?? references.size + 1;
    references.set(url, number);
    return `[${shown}][${number}]`;
  });
}

/** A run of asterisks that opens or closes emphasis in our own Markdown, where literal ones are escaped. */
const RUN = /(\\.|\]\([^()\s]{0,2000}\))|(\*{1,3})/g;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Rewrites the emphasis of a text. Underscores inside a word would be literal, so a text with a mark inside a word keeps its
 * asterisks.
 */
function restyleEmphasis(text: string, { em = '*', strong = '**' }: MarkdownStyle): string {
  if (em === '*' && strong === '**') return text;
  const runs = [...text.matchAll(RUN)].filter(([, literal]) => literal === undefined);
  if (runs.some(({ index, 0: run }) => isWithinWord(text, index, index + run.length))) return text;
  return text.replace(RUN, (all, literal: string | undefined, run: string | undefined) => {
    if (literal !== undefined || run === undefined) return all;
    return run.length === 1 ? em : run.length === 2 ? strong : strong + em;
  });
}

const isWithinWord = (text: string, from: number, to: number): boolean =>
  WORD.test(text[from - 1] ?? '') && WORD.test(text[to] ?? '');
