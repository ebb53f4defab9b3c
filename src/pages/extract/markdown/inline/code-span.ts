import { isElement, type TreeElement } from '../../tree.ts';
import { isShown, isSilent, readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { collapse } from './escape-text.ts';
import { BREAK, stripMarks } from './marks.ts';

/** Renders `code`, `kbd`, `samp` and `tt` as a code span. Markup inside is dropped, except a link that fills it. */
export function renderCodeSpan(element: TreeElement, context: WriterContext): string {
  const [only, ...others] = element.children.filter((node) => isElement(node) || node.text.trim() !== '');
  if (only !== undefined && others.length === 0 && isElement(only) && only.kept) {
    if (only.tag === 'img' || only.tag === 'pre') return context.inline([only]);
    const href = only.tag === 'a' ? context.resolve(only.attributes.href ?? '') : null;
    if (href !== null && !isSilent(only)) return `[${formatCodeSpan(readTextBelow(only, true))}](${href})`;
  }
  const text = readTextWithBreaks(element);
  return text.includes(BREAK) ? text.split(BREAK).map(formatCodeSpan).join(BREAK) : formatCodeSpan(text);
}

/** Formats plain text as a code span, with a fence longer than any run of backticks in it; spaces at the edges go outside. */
export function formatCodeSpan(plain: string): string {
  const text = collapse(plain);
  const code = text.trim();
  if (code === '') return text === '' ? '' : ' ';
  const fence = '`'.repeat(countLongestTicks(code) + 1);
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${text.startsWith(' ') ? ' ' : ''}${fence}${pad}${code}${pad}${fence}${text.endsWith(' ') ? ' ' : ''}`;
}

/** Returns the length of the longest run of backticks in a text. */
export function countLongestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** Joins two code spans that touch: the backticks between them would be read as a longer fence. */
export function joinCodeSpans(line: string, next: string): string {
  if (!line.endsWith('`') || !next.startsWith('`')) return line + next;
  const simple = !line.endsWith('``') && !next.startsWith('``');
  return simple ? line.slice(0, -1) + next.slice(1) : `${line} ${next}`;
}

function readTextWithBreaks(element: TreeElement): string {
  const parts: string[] = [];
  for (const child of element.children) {
    if (!isElement(child)) parts.push(isShown(child) ? stripMarks(child.text) : '');
    else if (child.tag === 'br') parts.push(BREAK);
    else if (isShown(child) && !isSilent(child)) parts.push(readTextWithBreaks(child));
  }
  return parts.join('');
}
