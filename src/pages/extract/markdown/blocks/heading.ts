import type { TreeElement } from '../../table-shape.ts';
import { collapse } from '../inline/escape-text.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { wrapInLink } from '../inline/link.ts';
import { STRONG_CLOSE, STRONG_OPEN, stripMarks } from '../inline/marks.ts';
import { escapeHeadingEnd } from '../line-start.ts';
import type { WriterContext } from '../writer-context.ts';

/** Maximum listed headings; further ones are written but not listed. */
export const HEADINGS_MAX = 2_000;

/** Writes `h1` to `h6`, or a heading by role, as an ATX heading of the same level. */
export function writeHeadingElement(element: TreeElement, context: WriterContext): void {
  const level = readLevel(element);
  if (writeHeading(element, level, context)) context.headingLevel = level;
}

function readLevel({ tag, attributes }: TreeElement): number {
  const level = Number(/^h([1-6])$/.exec(tag)?.[1] ?? attributes['aria-level']);
  return level >= 1 ? Math.min(6, Math.trunc(level)) : 2;
}

/** Writes a heading of a level and returns whether it did: one that is empty or repeats the page's first heading is omitted. */
export function writeHeading(element: TreeElement, level: number, context: WriterContext): boolean {
  // Headings are bold already.
  let raw = context.inline(element.children).replaceAll(STRONG_OPEN, '').replaceAll(STRONG_CLOSE, '');
  if (raw.trim() === '') return false;
  const text = toPlainHeading(raw);
  if (isRepeatedTitle(text, level, context)) return false;
  if (context.pendingLink !== null) {
    raw = wrapInLink(raw, context.pendingLink);
    context.pendingLink = null;
  }
  if (text !== '' && context.headings.length < HEADINGS_MAX) context.headings.push(text);
  context.writer.block([`${'#'.repeat(level)} ${escapeHeadingEnd(finishLine(raw, ' '))}`]);
  return true;
}

/** Returns whether a heading repeats the page's first one, right below it or as a second h1 further down. */
function isRepeatedTitle(text: string, level: number, { headings, writer }: WriterContext): boolean {
  if (text === '' || headings[0] !== text) return false;
  return level === 1 || (headings.length === 1 && writer.count() === 1);
}

/** Converts a heading to plain text, without links, images, code fences or escapes. */
function toPlainHeading(raw: string): string {
  const text = finishLine(raw, ' ')
    .replace(/!\[[^[\]]*\]\([^[)]*\)/g, '')
    .replace(/(?<!\\)\[((?:\\.|[^[\]\\])*)\]\([^[)]*\)/g, '$1')
    .replace(/\[\^\d+\]|(?<!\\)[*`]/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return collapse(stripMarks(text)).trim();
}
