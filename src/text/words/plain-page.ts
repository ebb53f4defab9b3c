import { stripLinks } from './plain-text.ts';

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+/;
const QUOTE = /^(?: {0,3}> ?)+/;
const TABLE_ROW = /^ {0,3}\|(.*)\|\s*$/;
const TABLE_RULE = /^ {0,3}\|[ \t|:-]+$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const CODE_SPAN = /(`{1,3})([^`\n]{1,2000})\1(?!`)/;
const EMPHASIS = /\*{1,3}|~~/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
/** Base of the private-use characters that stand for escaped ones while marks are removed; they occur on no page. */
const HIDDEN = 0xe000;

/**
 * Converts a page's Markdown to its visible text, without marks of headings, quotes, emphasis and links. Lists keep their marks,
 * table cells are separated by tabs, code is unchanged.
 */
export function toPlainPage(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const marks = FENCE.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (marks?.startsWith(fence)) fence = null;
      else lines.push(line);
    } else if (marks !== null) fence = marks;
    else if (!TABLE_RULE.test(line) && !RULE.test(line)) lines.push(toPlainLine(line));
  }
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function toPlainLine(line: string): string {
  const text = line.replace(QUOTE, '').replace(HEADING, '');
  const cells = TABLE_ROW.exec(text)?.[1];
  if (cells === undefined) return toInlineText(text);
  return cells
    .split(/(?<!\\)\|/)
    .map((cell) => toInlineText(cell.trim()))
    .join('\t');
}

/** Splits off code spans first: nothing in them is a mark. */
function toInlineText(text: string): string {
  const parts = stripLinks(text).split(CODE_SPAN);
  // The pattern has two groups: text, marks, code, text, ...
  return parts
    .map((part, place) => (place % 3 === 0 ? stripMarks(part) : place % 3 === 1 ? '' : part.trim()))
    .join('');
}

function stripMarks(text: string): string {
  return text
    .replace(ESCAPE, (_, sign: string) => String.fromCharCode(HIDDEN + sign.charCodeAt(0)))
    .replace(EMPHASIS, '')
    .replace(/[\ue021-\ue07e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - HIDDEN));
}
