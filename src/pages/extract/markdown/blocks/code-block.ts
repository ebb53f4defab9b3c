import { isElement, type TreeElement } from '../../table-shape.ts';
import { countLongestTicks } from '../inline/inline.ts';
import { stripMarks } from '../inline/marks.ts';
import { BLOCK_TAGS, isShown, isSilent } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { detectCodeLanguage } from './code-language.ts';

/** Classes of elements in code that are not code: gutters with line numbers, copy buttons and the like. */
const NOT_CODE =
  /(?:^|\s)(?:linenos?|line-?numbers?(?:-rows)?|lineno|ln|gutter|rouge-gutter|hljs-ln-numbers|blob-num|lnt|react-code-line-number|copy\S*|code-?block-?(?:header|title|toolbar)|toolbar\S*)(?=\s|$)/i;
const LINE_CLASS = /(?:^|\s)(?:line|code-line|token-line|view-line|cl|hljs-ln-line)(?=\s|$)/i;

/** Writes `pre` as a fenced block; white space inside is preserved. */
export function writeCodeBlock(element: TreeElement, context: WriterContext): void {
  const code = readCode(element, context.code.labels).replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  if (code.trim() === '') return;
  writeFence(code, detectCodeLanguage(element) || (context.code.languages.get(element) ?? ''), context);
}

/** Writes code between fences longer than any run of backticks in it. */
export function writeFence(code: string, language: string, context: WriterContext): void {
  const fence = '`'.repeat(Math.max(2, countLongestTicks(code)) + 1);
  context.writer.block([fence + language, ...code.split('\n'), fence]);
}

/** Reads the text of code as shown, with one line per line element. */
export function readCode(element: TreeElement, labels?: ReadonlySet<TreeElement>): string {
  const parts: string[] = [];
  collectCode(element, parts, labels);
  return stripMarks(parts.join('')).replaceAll('\u00A0', ' ').replaceAll('\u200B', '');
}

function collectCode(element: TreeElement, parts: string[], labels?: ReadonlySet<TreeElement>): void {
  // Some highlighters keep the line breaks between their line spans; then none are added.
  const hasBreaks = element.children.some((node) => !isElement(node) && node.text.includes('\n'));
  for (const child of element.children) {
    if (!isElement(child)) {
      if (isShown(child)) parts.push(child.text);
    } else if (child.tag === 'br') parts.push('\n');
    else if (
      (isShown(child) || child.children.length === 0) &&
      !isNotCode(child) &&
      labels?.has(child) !== true
    ) {
      const ownLine = startsLine(child, hasBreaks);
      if (ownLine) breakLine(parts);
      if (ownLine && !hasBreaks && child.children.length === 0) parts.push('\n');
      collectCode(child, parts, labels);
      if (ownLine) breakLine(parts);
    }
  }
}

/** Ends a line, unless the page has its own line break there. */
function breakLine(parts: string[]): void {
  const last = parts.findLast((part) => part !== '');
  if (last !== undefined && !last.endsWith('\n')) parts.push('\n');
}

function startsLine({ tag, attributes, children }: TreeElement, hasBreaks: boolean): boolean {
  if (BLOCK_TAGS.has(tag)) return tag !== 'td' && tag !== 'th';
  return !hasBreaks && children.length > 0 && LINE_CLASS.test(attributes.class ?? '');
}

function isNotCode(element: TreeElement): boolean {
  const { class: classes, 'aria-hidden': hidden } = element.attributes;
  if (element.tag === 'button' || isSilent(element)) return true;
  if (classes !== undefined && NOT_CODE.test(classes)) return true;
  return hidden === 'true' && element.children.length === 0;
}
