import { findEmbed } from '../../embeds.ts';
import type { TreeElement } from '../../table-shape.ts';
import { escapeBrackets } from '../line-start.ts';
import { readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { collapse, escapeText } from './escape-text.ts';
import { finishLine } from './finish-inline.ts';
import { BREAK } from './marks.ts';

/** Texts of links from headings to themselves. */
const HEADING_LINK_TEXT = /^(?:[¶#§🔗∞⚓]|\uF0C1|\s|permalink|link to this (?:heading|section|page))+$/iu;
const HEADING_LINK_CLASS =
  /(?:^|[\s_-])(?:headerlink|anchor|anchor-link|permalink|heading-link|hash-link)(?=\s|$)/i;
const EDGES = new RegExp(`^[ ${BREAK}]+|(?<![ ${BREAK}])[ ${BREAK}]+$`, 'g');

/** Maximum length of a link's text; a longer one is a whole card or an `a` that was never closed. */
const LINK_CHARS_MAX = 5_000;

/** Renders `a` as a link. A link within the page, to nothing or to a script becomes its text; one without text is omitted. */
export function renderLink(element: TreeElement, context: WriterContext): string {
  const mark = context.footnotes.referenceFor(element);
  if (mark !== null) return mark;
  if (isHeadingLink(element)) return '';
  const inner = context.inline(element.children);
  const href = resolveLinkTarget(element, context);
  return href === null ? inner : wrapInLink(inner, href);
}

/** Resolves the target of an `a`; null when it leads nowhere else. */
export function resolveLinkTarget({ attributes }: TreeElement, context: WriterContext): string | null {
  const href = attributes.href?.trim();
  return href === undefined || href === '' || href.startsWith('#') ? null : context.resolve(href);
}

/** Wraps inline Markdown in a link; spaces at its edges stay outside, line breaks inside become spaces. */
export function wrapInLink(inner: string, href: string): string {
  const text = inner.replace(EDGES, '');
  if (text === '') return inner.includes(' ') ? ' ' : '';
  if (text.length > LINK_CHARS_MAX) return inner;
  // Markdown has no nested links.
  if (/(?<!\\)\]\(/.test(text) && !/^!\[[^\]]*\]\([^)]*\)$/.test(text)) return inner;
  const start = inner.indexOf(text);
  const after = inner.slice(start + text.length);
  const bare = !text.includes('\\') && finishLine(text, ' ') === href && href.includes('://');
  const written = bare
    ? `<${href}>`
    : `[${escapeBrackets(text.split(BREAK).join(' '))}](${escapeParentheses(href)})`;
  return inner.slice(0, start) + written + after;
}

/** Escapes unpaired parentheses, which would end the address early. */
export function escapeParentheses(href: string): string {
  let open = 0;
  for (const char of href) {
    if (char === '(') open += 1;
    else if (char === ')' && --open < 0) break;
  }
  return open === 0 ? href : href.replaceAll('(', '%28').replaceAll(')', '%29');
}

function isHeadingLink(element: TreeElement): boolean {
  const { href = '', class: classes = '' } = element.attributes;
  if (!href.includes('#')) return false;
  const text = collapse(readTextBelow(element, false)).trim();
  if (text === '') return true;
  return (
    HEADING_LINK_TEXT.test(text) &&
    (HEADING_LINK_CLASS.test(classes) || text.length <= 2 || href.startsWith('#'))
  );
}

/** Renders an embedded player, film, recording, map or program as a link to it; omits other frames. */
export function renderEmbed(element: TreeElement, context: WriterContext): string {
  const found = findEmbed(element);
  const address = found === null ? null : context.resolve(found.href);
  return found === null || address === null ? '' : wrapInLink(escapeText(found.name), address);
}
