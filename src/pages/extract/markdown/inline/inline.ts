/**
 * Rules for inline elements: each renders an element as Markdown with placeholder marks (see `marks.ts`). Nothing here writes
 * lines; `finish-inline.ts` resolves the marks when the paragraph is complete.
 */

import { isElement, type TreeElement, type TreeNode } from '../../table-shape.ts';
import { isShown, isSilent, readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import * as emphasis from './emphasis.ts';
import { collapse, escapeText } from './escape-text.ts';
import { renderImage, renderNoscriptImage } from './image.ts';
import { renderEmbed, renderLink } from './link.ts';
import * as marks from './marks.ts';
import { BREAK, stripMarks } from './marks.ts';
import { renderMath, renderTextMath } from './math.ts';

const RAISED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-−=()n'].map((c, at) => [c, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ'][at] ?? c]),
);
const LOWERED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-−=()'].map((c, at) => [c, [...'₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'][at] ?? c]),
);
/** Texts raised only by typographic custom: ordinals, trademarks, daggers. */
const CUSTOM = /^(?:st|nd|rd|th|e|er|re|ème|o|a|º|ª|tm|sm|®|©|™|℠|†|‡|\*+)$/i;

type InlineRule = (element: TreeElement, context: WriterContext) => string;

const renderStrong: InlineRule = ({ children }, context) =>
  emphasis.emphasize(context.inline(children), marks.STRONG_OPEN, marks.STRONG_CLOSE);
const renderEm: InlineRule = ({ children }, context) => {
  const inner = context.inline(children);
  // Manuals set parameter names in italic code; plain code reads better and costs less.
  return /^ *`[^`]+` *$/.test(inner) ? inner : emphasis.emphasize(inner, marks.EM_OPEN, marks.EM_CLOSE);
};
const renderStrike: InlineRule = ({ children }, context) =>
  emphasis.emphasize(context.inline(children), marks.STRIKE_OPEN, marks.STRIKE_CLOSE);

const RULES = new Map<string, InlineRule>(
  Object.entries({
    a: renderLink,
    img: renderImage,
    'amp-img': renderImage,
    noscript: renderNoscriptImage,
    code: renderCodeSpan,
    kbd: renderCodeSpan,
    samp: renderCodeSpan,
    tt: renderCodeSpan,
    strong: renderStrong,
    b: renderStrong,
    em: renderEm,
    i: renderEm,
    var: renderEm,
    cite: renderEm,
    dfn: renderEm,
    del: renderStrike,
    s: renderStrike,
    strike: renderStrike,
    sup: renderSupOrSub,
    sub: renderSupOrSub,
    ruby: renderRuby,
    br: () => marks.BREAK,
    wbr: () => '',
    q: ({ children }, context) => `"${context.inline(children).trim()}"`,
    iframe: renderEmbed,
    video: renderEmbed,
    audio: renderEmbed,
    object: renderEmbed,
    embed: renderEmbed,
    'amp-video': renderEmbed,
    'amp-audio': renderEmbed,
    'amp-youtube': renderEmbed,
    'amp-vimeo': renderEmbed,
    'lite-youtube': renderEmbed,
    'lite-vimeo': renderEmbed,
    input: () => '',
  }),
);

/** Renders nodes as inline Markdown with marks. */
export function renderInlineNodes(nodes: TreeNode[], context: WriterContext): string {
  const parts: string[] = [];
  for (const node of nodes) {
    if (!isShown(node)) continue;
    if (!isElement(node))
      parts.push(context.keepsLines ? renderLines(node.text, context) : renderText(node.text, context));
    else if (context.code.labels.has(node)) continue;
    else if (isSilent(node))
      parts.push(renderMath(node) ?? (node.tag === 'script' ? renderEmbed(node, context) : ''));
    else {
      const part = renderElement(node, context);
      if (part.startsWith('`') && parts.length > 0) parts.push(joinCodeSpans(parts.pop() ?? '', part));
      else if (part !== '') parts.push(part);
    }
  }
  return parts.join('');
}

function renderElement(element: TreeElement, context: WriterContext): string {
  const formula = renderMath(element);
  if (formula !== null) return formula;
  const rule = RULES.get(element.tag);
  if (rule !== undefined) return rule(element, context);
  return element.attributes['data-youtube-id'] === undefined
    ? context.inline(element.children)
    : renderEmbed(element, context) + context.inline(element.children);
}

const renderText = (text: string, { drawsMath }: WriterContext): string =>
  renderTextMath(text, drawsMath) ?? escapeText(text);

/** Renders a text with its line feeds as line breaks. */
function renderLines(text: string, context: WriterContext): string {
  return text
    .split('\n')
    .map((line) => renderText(line, context))
    .join(marks.BREAK);
}

/**
 * Renders `sup` and `sub`, for which Markdown has no syntax: digits become raised or lowered digits ("m²"), customary raising
 * becomes plain text ("20th"), and only the rest keeps its tag.
 */
function renderSupOrSub(element: TreeElement, context: WriterContext): string {
  const raw = context.inline(element.children);
  const text = readTextBelow(element, true).trim();
  if (text === '' || raw.trim() === '' || raw.includes('](') || raw.includes('[^')) return raw;
  if (element.tag === 'sup' && CUSTOM.test(text)) return raw;
  const digits = element.tag === 'sup' ? RAISED : LOWERED;
  const chars = [...text];
  if (chars.every((char) => Object.hasOwn(digits, char))) return chars.map((char) => digits[char]).join('');
  return `<${element.tag}>${raw.trim()}</${element.tag}>`;
}

/** Renders `ruby` as the base followed by its reading in parentheses. */
function renderRuby(element: TreeElement, context: WriterContext): string {
  let base = '';
  let reading = '';
  for (const child of element.children) {
    const part = context.inline([child]).trim();
    if (isElement(child) && (child.tag === 'rt' || child.tag === 'rtc')) reading += part;
    else base += part;
  }
  return reading === '' ? base : `${base}(${reading})`;
}

/** Renders `code`, `kbd`, `samp` and `tt` as a code span. Markup inside is dropped, except a link that fills it. */
function renderCodeSpan(element: TreeElement, context: WriterContext): string {
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
function joinCodeSpans(line: string, next: string): string {
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
