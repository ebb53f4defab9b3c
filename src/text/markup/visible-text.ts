/**
 * The text that a reader of Markdown sees. `toVisibleText` keeps the lines and the marks of blocks, for words and scores; `toPlainPage` is
 * meant to be read. Code stays as it is in both.
 */
import { rewriteOutsideCode } from './code-spans.ts';
import { createLineScanner, type LineKind, type ScannedLine } from './scan-lines.ts';

/*
 * Every pattern here is linear: no repetition matches characters that the next one could match as well, and the length between
 * brackets is bounded.
 */
export const LINK =
  /(?<!\\)!?\[((?:[^[\]\\\n]|\\.){0,500})\]\((?:[^()\s\\]|\\.){0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?(?:[ \t]"[^"\n]{0,300}")?\)/g;
const RULE_LINE = /^[ \t>|:-]+$/gm;
const TABLE_ROW = /^\|(.*)\|\s*$/;
const TABLE_RULE = /^\|[ \t|:-]+$/;
const EMPHASIS = /\*{1,3}|~~/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
/** Base of the private-use characters that stand for escaped ones while marks are removed; they occur on no page. */
const HIDDEN = 0xe100;

const CHARS_MAX = 1_000_000;
const CODE: ReadonlySet<LineKind> = new Set(['code', 'indented']);

/**
 * Converts the first million characters of Markdown to visible text, line by line, without link addresses, fences and table rules.
 * Block markers stay.
 */
export function toVisibleText(markdown: string): string {
  const text = markdown.slice(0, CHARS_MAX);
  if (!text.includes('```') && !text.includes('~~~')) return toInlineText(text.replace(RULE_LINE, ''));
  return convertParagraphs(text, ({ kind }, line) =>
    kind === 'fence' ? { done: '' } : CODE.has(kind) ? { done: line } : line.replace(RULE_LINE, ''),
  ).join('\n');
}

/**
 * Converts a page's Markdown to its visible text, without marks of headings, quotes, emphasis and links. Lists keep their marks,
 * table cells are separated by tabs, code is unchanged.
 */
export function toPlainPage(markdown: string): string {
  return convertParagraphs(markdown, convertPlainLine)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function convertPlainLine(scanned: ScannedLine, line: string): string | FinishedLine | null {
  const { kind, quote, rest, headingLevel, isRule } = scanned;
  if (kind === 'fence' || isRule || TABLE_RULE.test(rest)) return null;
  if (CODE.has(kind)) return { done: line };
  const cells = TABLE_ROW.exec(rest)?.[1];
  if (cells !== undefined)
    return {
      done: cells
        .split(/(?<!\\)\|/)
        .map((cell) => toInlineText(cell.trim()))
        .join('\t'),
    };
  return headingLevel > 0
    ? { done: toInlineText(rest.slice(headingLevel).trimStart()) }
    : line.slice(quote.length);
}

/** A line that is finished, and is not part of a paragraph. */
type FinishedLine = { done: string };

/**
 * Converts Markdown line by line; `convert` returns a finished line, one whose inline marks are still to be removed, or null to leave it out.
 * Adjacent lines of the second kind are read as one paragraph, because code spans may continue on the next line.
 */
function convertParagraphs(
  markdown: string,
  convert: (scanned: ScannedLine, line: string) => string | FinishedLine | null,
): string[] {
  const scanner = createLineScanner();
  const lines: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) lines.push(toInlineText(paragraph.join('\n')));
    paragraph = [];
  };
  for (const line of markdown.split('\n')) {
    const scanned = scanner.scan(line);
    const converted = convert(scanned, line);
    if (typeof converted === 'string' && scanned.kind !== 'blank') paragraph.push(converted);
    else {
      endParagraph();
      if (converted !== null) lines.push(typeof converted === 'string' ? converted : converted.done);
    }
  }
  endParagraph();
  return lines;
}

/** Removes the inline marks of a text; nothing in code is a mark. */
function toInlineText(text: string): string {
  return rewriteOutsideCode(
    text,
    (part) => stripMarks(stripLinks(part)),
    (code) => code,
  );
}

function stripMarks(text: string): string {
  if (!text.includes('\\')) return text.replace(EMPHASIS, '');
  return text
    .replace(ESCAPE, (_, sign: string) => String.fromCharCode(HIDDEN + sign.charCodeAt(0)))
    .replace(EMPHASIS, '')
    .replace(/[\ue121-\ue17e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - HIDDEN));
}

/** Replaces links and images with their texts; an image may be inside a link. */
export function stripLinks(markdown: string): string {
  return markdown.includes('](') ? markdown.replace(LINK, '$1').replace(LINK, '$1') : markdown;
}
