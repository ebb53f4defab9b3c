import { isElement, type TreeElement, type TreeNode } from '../../table-shape.ts';
import { countLongestTicks } from '../inline/inline.ts';
import { stripMarks } from '../inline/marks.ts';
import { BLOCK_TAGS, hasClass, isShown, isSilent, readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { detectCodeLanguage } from './code-language.ts';

/** Classes of elements in code that are not code: gutters with line numbers, copy buttons, lines that mdBook hides and the like. */
const NOT_CODE =
  /(?:^|\s)(?:linenos?|line-?numbers?(?:-rows)?|lineno|ln|gutter|rouge-gutter|hljs-ln-numbers|blob-num|lnt|react-code-line-number|boring|copy\S*|code-?block-?(?:header|title|toolbar)|toolbar\S*)(?=\s|$)/i;
const LINE_CLASS = /(?:^|\s)(?:line|code-line|token-line|view-line|cl|hljs-ln-line)(?=\s|$)/i;
const ADDED_LINE = /(?:^|\s)(?:blob-code-addition|diff add|add diff|highlight ins)(?=\s|$)/;
const DELETED_LINE = /(?:^|\s)(?:blob-code-deletion|diff remove|remove diff|highlight del)(?=\s|$)/;
/** Precedes the sign of a line in a diff until the code is complete. The parser replaces this character in texts. */
const SIGN = '\0';
const MERMAID = /(?:^|\s)mermaid(?=\s|$)/;

/** Writes `pre` as a fenced block; white space inside is preserved. */
export function writeCodeBlock(element: TreeElement, context: WriterContext): void {
  const code = readCode(element, context.code.labels).replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  if (code.trim() === '') return;
  const language = isMermaid(element) ? 'mermaid' : detectCodeLanguage(element);
  writeFence(code, language || (context.code.languages.get(element) ?? ''), context);
}

/** Returns whether an element holds the source of a Mermaid drawing, which the page's script would draw. */
export function isMermaid(element: TreeElement): boolean {
  return (
    hasClass(element, MERMAID) && element.children.every((node) => !isElement(node) || node.tag === 'br')
  );
}

/** Writes code between fences longer than any run of backticks in it. */
export function writeFence(code: string, language: string, context: WriterContext): void {
  const fence = '`'.repeat(Math.max(2, countLongestTicks(code)) + 1);
  context.writer.block([fence + language, ...code.split('\n'), fence]);
}

/** Reads the text of code as shown, with one line per line element. */
export function readCode(element: TreeElement, labels?: ReadonlySet<TreeElement>): string {
  const parts: string[] = [];
  collectCode(element, parts, { labels, isSigned: false });
  return writeSigns(stripMarks(parts.join('')).replaceAll('\u00A0', ' ').replaceAll('\u200B', ''));
}

/** Gives each line of a diff its sign, unless the page's text has the signs already. */
function writeSigns(code: string): string {
  if (!code.includes(SIGN)) return code;
  const lines = code.split('\n');
  const changed = lines.filter((line) => line.startsWith(SIGN) && line[1] !== ' ');
  const isWritten = changed.length > 0 && changed.every((line) => line[1] === line[2]);
  return lines
    .map((line) => {
      if (!line.startsWith(SIGN)) return line === '' || isWritten ? line : ` ${line}`;
      return isWritten ? line.slice(2) : line.slice(1);
    })
    .join('\n');
}

function collectCode(
  element: TreeElement,
  parts: string[],
  { labels, isSigned }: { labels: ReadonlySet<TreeElement> | undefined; isSigned: boolean },
): void {
  // Some highlighters keep the line breaks between their line spans; then none are added.
  const hasBreaks = element.children.some((node) => !isElement(node) && node.text.includes('\n'));
  for (const [at, child] of element.children.entries()) {
    if (!isElement(child)) {
      if (isShown(child)) parts.push(child.text);
    } else if (child.tag === 'br') parts.push('\n');
    else if (
      (isShown(child) || readTextBelow(child, false).trim() === '') &&
      !isNotCode(child) &&
      labels?.has(child) !== true
    ) {
      const ownLine = startsLine(child, hasBreaks);
      if (ownLine) breakLine(parts);
      const sign = isSigned || !isAtLineStart(parts) ? '' : readSign(child, element.children[at + 1]);
      const start = parts.length;
      collectCode(child, parts, { labels, isSigned: isSigned || sign !== '' });
      if (sign !== '') parts.push(signLines(parts.splice(start).join(''), sign));
      if (ownLine && !hasBreaks && parts.slice(start).every((part) => part === '')) parts.push('\n');
      if (ownLine) breakLine(parts);
    }
  }
}

const isAtLineStart = (parts: string[]): boolean =>
  parts.findLast((part) => part !== '')?.endsWith('\n') !== false;

const signLines = (code: string, sign: string): string =>
  code
    .split('\n')
    .map((line, at, { length }) => (line === '' && at > 0 && at === length - 1 ? '' : SIGN + sign + line))
    .join('\n');

/**
 * Reads the sign of a line in a diff, which a stylesheet draws or `ins` and `del` around whole lines mean: '+', '-', ' ' for a line
 * without change, '' for other elements.
 */
function readSign(element: TreeElement, after: TreeNode | undefined): string {
  const marker = element.attributes['data-code-marker'];
  if (marker !== undefined && /^[-+ ]$/.test(marker)) return marker;
  if (element.tag === 'ins' || element.tag === 'del')
    return !endsLine(element, after) ? '' : element.tag === 'ins' ? '+' : '-';
  if (hasClass(element, ADDED_LINE)) return '+';
  return hasClass(element, DELETED_LINE) ? '-' : '';
}

function endsLine({ children }: TreeElement, after: TreeNode | undefined): boolean {
  if (after === undefined) return true;
  const last = children.at(-1);
  return (
    (isElement(after) ? after.tag === 'br' : after.text.startsWith('\n')) ||
    (last !== undefined && !isElement(last) && last.text.endsWith('\n'))
  );
}

/** Ends a line, unless the page has its own line break there. */
function breakLine(parts: string[]): void {
  const last = parts.findLast((part) => part !== '');
  if (last !== undefined && !last.endsWith('\n')) parts.push('\n');
}

function startsLine({ tag, attributes }: TreeElement, hasBreaks: boolean): boolean {
  if (BLOCK_TAGS.has(tag)) return tag !== 'td' && tag !== 'th';
  return !hasBreaks && LINE_CLASS.test(attributes.class ?? '');
}

function isNotCode(element: TreeElement): boolean {
  const { class: classes, 'aria-hidden': hidden } = element.attributes;
  if (element.tag === 'button' || isSilent(element)) return true;
  if (classes !== undefined && NOT_CODE.test(classes)) return true;
  return hidden === 'true' && element.children.length === 0;
}
