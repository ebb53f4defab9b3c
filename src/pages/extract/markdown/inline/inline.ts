/**
 * Rules for inline elements: each renders an element as Markdown with placeholder marks (see `marks.ts`). Nothing here writes
 * lines; `finish-inline.ts` resolves the marks when the paragraph is complete.
 */
import { isElement, type TreeElement, type TreeNode } from '../../tree.ts';
import { isShown, isSilent } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { joinCodeSpans, renderCodeSpan } from './code-span.ts';
import * as emphasis from './emphasis.ts';
import { escapeText } from './escape-text.ts';
import { renderImage, renderNoscriptImage } from './image.ts';
import { renderEmbed, renderLink } from './link.ts';
import * as marks from './marks.ts';
import { renderMath, renderTextMath } from './math.ts';
import { renderRuby, renderSupOrSub } from './small-text.ts';

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
