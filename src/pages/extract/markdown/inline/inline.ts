import { isElement, type TreeElement, type TreeNode } from '../../tree.ts';
import { isShown, isSilent } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { codeSpan, joinCodeSpans } from './code-span.ts';
import * as emphasis from './emphasis.ts';
import { escapeText } from './escape-text.ts';
import { image, noscriptImage } from './image.ts';
import { embed, link } from './link.ts';
import * as marks from './marks.ts';
import { mathIn, rawMath } from './math.ts';
import { ruby, scriptText } from './small-text.ts';

type InlineRule = (element: TreeElement, context: WriterContext) => string;

const strong: InlineRule = ({ children }, context) =>
  emphasis.emphasise(context.inline(children), marks.STRONG_OPEN, marks.STRONG_CLOSE);
const em: InlineRule = ({ children }, context) => {
  const inner = context.inline(children);
  // Manuals set names of parameters in italic code; as code alone they read better and cost less.
  return /^ *`[^`]+` *$/.test(inner) ? inner : emphasis.emphasise(inner, marks.EM_OPEN, marks.EM_CLOSE);
};
const strike: InlineRule = ({ children }, context) =>
  emphasis.emphasise(context.inline(children), marks.STRIKE_OPEN, marks.STRIKE_CLOSE);

const RULES = new Map<string, InlineRule>(
  Object.entries({
    a: link,
    img: image,
    'amp-img': image,
    noscript: noscriptImage,
    code: codeSpan,
    kbd: codeSpan,
    samp: codeSpan,
    tt: codeSpan,
    strong,
    b: strong,
    em,
    i: em,
    var: em,
    cite: em,
    dfn: em,
    del: strike,
    s: strike,
    strike,
    sup: scriptText,
    sub: scriptText,
    ruby,
    br: () => marks.BREAK,
    wbr: () => '',
    q: ({ children }, context) => `"${context.inline(children).trim()}"`,
    iframe: embed,
    video: embed,
    audio: embed,
    object: embed,
    embed,
    'amp-video': embed,
    'amp-audio': embed,
    'amp-youtube': embed,
    'amp-vimeo': embed,
    'lite-youtube': embed,
    'lite-vimeo': embed,
    input: () => '',
  }),
);

/** Nodes -> inline Markdown with marks. */
export function inlineOf(nodes: TreeNode[], context: WriterContext): string {
  const parts: string[] = [];
  for (const node of nodes) {
    if (!isShown(node)) continue;
    if (!isElement(node))
      parts.push(context.keepsLines ? linesOf(node.text, context) : textOf(node.text, context));
    else if (context.code.labels.has(node)) continue;
    else if (isSilent(node)) parts.push(mathIn(node) ?? (node.tag === 'script' ? embed(node, context) : ''));
    else {
      const part = elementInline(node, context);
      if (part.startsWith('`') && parts.length > 0) parts.push(joinCodeSpans(parts.pop() ?? '', part));
      else if (part !== '') parts.push(part);
    }
  }
  return parts.join('');
}

function elementInline(element: TreeElement, context: WriterContext): string {
  const formula = mathIn(element);
  if (formula !== null) return formula;
  const rule = RULES.get(element.tag);
  if (rule !== undefined) return rule(element, context);
  return element.attributes['data-youtube-id'] === undefined
    ? context.inline(element.children)
    : embed(element, context) + context.inline(element.children);
}

const textOf = (text: string, { drawsMath }: WriterContext): string =>
  rawMath(text, drawsMath) ?? escapeText(text);

/** A text with its line feeds as line breaks. */
function linesOf(text: string, context: WriterContext): string {
  return text
    .split('\n')
    .map((line) => textOf(line, context))
    .join(marks.BREAK);
}
