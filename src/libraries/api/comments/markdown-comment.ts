import { LIMITS } from '../source-reader.ts';

/** A documentation comment as Markdown. */
export type Comment = {
  docs: string;
  deprecated: string | null;
  /** True where the comment says that its item is no part of the interface. */
  isInternal: boolean;
};

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(?=\S)/;
/** Headings of items are at levels 2 and 3, so those of comments begin below. */
const LEVEL_MIN = 4;
const LEVEL_MAX = 6;

/**
 * Fits Markdown of a foreign comment into a page: its headings go below those of the items, a fence that it leaves open is closed,
 * and it is cut to its bound. `changeFence` may rename the language of a block, `changeCode` and `changeText` its lines (null: left out).
 */
export function fitMarkdown(
  markdown: string,
  change: {
    fence?: (language: string) => string;
    code?: (line: string) => string | null;
    text?: (line: string) => string | null;
  } = {},
): string {
  const cut = markdown.length > LIMITS.docCharsMax;
  const lines = (cut ? `${markdown.slice(0, LIMITS.docCharsMax)}…` : markdown)
    .replaceAll('\r', '')
    .split('\n');
  const shift = findHeadingShift(lines);
  const written: string[] = [];
  let fence: string | null = null;
  for (const line of lines) {
    const [opening = '', mark = ''] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (mark !== '' && mark.startsWith(fence) && line.slice(opening.length).trim() === '') {
        fence = null;
        written.push(line);
      } else pushLine(written, change.code === undefined ? line : change.code(line));
    } else if (mark !== '') {
      fence = mark;
      const language = line.slice(opening.length).trim();
      written.push(opening + (change.fence === undefined ? language : change.fence(language)));
    } else pushLine(written, shiftHeading(change.text === undefined ? line : change.text(line), shift));
  }
  if (fence !== null) written.push(fence);
  return trimLines(written).join('\n');
}

function pushLine(lines: string[], line: string | null): void {
  if (line !== null) lines.push(line.trimEnd());
}

function findHeadingShift(lines: readonly string[]): number {
  let level: number = LEVEL_MAX;
  let isCode = false;
  for (const line of lines) {
    if (FENCE.test(line)) isCode = !isCode;
    const marks = isCode ? undefined : HEADING.exec(line)?.[1];
    if (marks !== undefined) level = Math.min(level, marks.length);
  }
  return Math.max(0, LEVEL_MIN - level);
}

function shiftHeading(line: string | null, shift: number): string | null {
  if (line === null) return null;
  const [opening = '', marks = ''] = HEADING.exec(line) ?? [];
  if (marks === '') return line;
  return `${'#'.repeat(Math.min(LEVEL_MAX, marks.length + shift))} ${line.slice(opening.length)}`;
}

/** Leaves out empty lines at both ends. */
function trimLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** Removes the indentation that all lines after the first have in common, and that of the first. */
export function dedent(text: string): string {
  const [first = '', ...rest] = text.replaceAll('\r', '').replaceAll('\t', '    ').split('\n');
  const indents = rest.filter((line) => line.trim() !== '').map(countIndent);
  const indent = indents.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
  return trimLines([
    first.trimStart(),
    ...rest.map((line) => line.slice(Math.min(indent, countIndent(line)))),
  ])
    .map((line) => line.trimEnd())
    .join('\n');
}

export function countIndent(line: string): number {
  let count = 0;
  while (line[count] === ' ') count += 1;
  return count;
}

/** Takes a block comment out of its marks and the stars before its lines. */
export function unwrapBlockComment(comment: string): string {
  let end = comment.endsWith('*/') ? comment.length - 2 : comment.length;
  while (comment[end - 1] === '*') end -= 1;
  const inner = comment.slice(0, end).replace(/^\/\**!?/, '');
  const lines = inner.replaceAll('\r', '').split('\n');
  const hasStars =
    lines.length > 1 &&
    lines.slice(1).every((line) => line.trim() === '' || line.trimStart().startsWith('*'));
  if (!hasStars) return dedent(inner);
  const bare = lines.map((line, index) => {
    const text = index === 0 ? line : line.trimStart().replace(/^\*/, '');
    return text.startsWith(' ') ? text.slice(1) : text;
  });
  return trimLines(bare)
    .map((line) => line.trimEnd())
    .join('\n');
}
