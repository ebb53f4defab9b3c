import { NO_ATTRIBUTES, type TreeElement } from '../../tree.ts';
import { findBelow, textBelow } from '../tags.ts';
import { escapeText } from './escape-text.ts';
import { BREAK, MATH, withoutMarks } from './marks.ts';
import { texOfMathMl } from './mathml.ts';

const RENDERED = /(?:^|\s)(?:katex(?:-display|-html|-mathml)?|mwe-math-element|MathJax(?:_\w+)?)(?=\s|$)/i;
/** Boxes around a source that a script would render; they may also contain prose. */
const SOURCE = /(?:^|\s)(?:math|arithmatex|mathjax)(?=\s|$)/;
const DISPLAY =
  /(?:^|\s)(?:katex-display|mwe-math-element-block|MathJax_Display|math-display|display)(?=\s|$)/;
const LATEX_IMAGE = /(?:^|\s)(?:latex|tex|math|mwe-math-fallback-image-\w+)(?=\s|$)/i;

/**
 * An element that shows a formula -> its LaTeX between dollar signs, or null for any other element. Pages show each
 * formula two or three times (MathML, spans, a picture); the source is taken once and the pictures of it left out.
 */
export function mathIn(element: TreeElement): string | null {
  const { tag, attributes } = element;
  if (tag === 'math') return formula(texOf(element), attributes.display === 'block');
  if (tag === 'script') return scriptFormula(element);
  if (tag === 'img') return imageFormula(element);
  if (attributes === NO_ATTRIBUTES && tag !== 'mjx-container') return null;
  if (tag === 'mjx-container') return formula(innerTex(element), attributes.display === 'true');
  const given =
    attributes['data-tex'] ?? attributes['data-expr'] ?? attributes['data-latex'] ?? attributes['data-math'];
  if (given !== undefined && TEX_CLASS.test(attributes.class ?? '')) return formula(given, tag === 'div');
  if (attributes.class === undefined) return null;
  if (SOURCE.test(attributes.class)) return sourceFormula(element);
  if (!RENDERED.test(attributes.class)) return null;
  // The script beside it has the source of what MathJax 2 rendered.
  if (DRAWN.test(attributes.class) && drawnFromScript(element)) return '';
  const inner = innerTex(element);
  return inner === null ? null : formula(inner, isDisplay(element));
}
const DRAWN = /(?:^|\s)MathJax(?:_Preview|_SVG|_CHTML|_Display)?(?=\s|$)/;

const TEX_CLASS = /math|tex|formula|equation/i;

function sourceFormula(element: TreeElement): string | null {
  const source = delimited(textBelow(element, true).trim());
  return source === null ? null : formula(source.tex, source.display);
}

/** Text with unrendered `\\( … \\)`, `\\[ … \\]`, `$$ … $$` or display environments in it -> inline Markdown, or null. */
export function rawMath(text: string): string | null {
  if (!text.includes('\\') && !text.includes('$$')) return null;
  let end = 0;
  let written = '';
  const closes = new Map<string, number>();
  for (const { index, 0: open, 1: environment } of text.matchAll(OPENING)) {
    if (index < end) continue;
    const sign = environment === undefined ? (CLOSING[open] ?? '') : `\\end{${environment}}`;
    // An end that was found stays the next one for every opening before it.
    let close = closes.get(sign) ?? 0;
    if (close !== -1 && close < index + open.length) close = text.indexOf(sign, index + open.length);
    closes.set(sign, close);
    if (close === -1 || close - index > SOURCE_CHARS_MAX) continue;
    const inner = text.slice(index + open.length, close);
    if (open === '$$' && !LIKE_MATH.test(inner)) continue;
    const tex = environment === undefined ? inner : text.slice(index, close + sign.length);
    written += escapeText(text.slice(end, index)) + formula(tex, open !== '\\(');
    end = close + sign.length;
  }
  return end === 0 ? null : written + escapeText(text.slice(end));
}
const OPENING =
  /\\[([]|\$\$|\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|displaymath)\*?)\}/g;
const CLOSING: Record<string, string> = { '\\(': '\\)', '\\[': '\\]', $$: '$$' };
/** Between two pairs of dollars that mean money there is prose. */
const LIKE_MATH = /[\\^_=+<>{}]|^\s*\S{1,12}\s*$/;
const SOURCE_CHARS_MAX = 4_000;

function formula(tex: string | null, display: boolean): string {
  const source = withoutMarks(tex ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (source === '') return '';
  return display ? BREAK + BREAK + MATH + MATH + source + MATH + MATH + BREAK + BREAK : MATH + source + MATH;
}

function texOf(math: TreeElement): string {
  const annotation = findBelow(
    math,
    ({ tag, attributes }) => tag === 'annotation' && /tex/i.test(attributes.encoding ?? ''),
  );
  const tex =
    annotation === null ? (math.attributes.alttext ?? texOfMathMl(math)) : textBelow(annotation, false);
  // The wrapper that some converters put around every formula has no meaning.
  return tex.trim().replace(/^\{\\(?:display|text)style\s*(?!\s)([\s\S]*)\}$/, '$1');
}

function innerTex(element: TreeElement): string | null {
  const math = findBelow(element, ({ tag }) => tag === 'math');
  return math === null ? null : texOf(math);
}

function isDisplay(element: TreeElement): boolean {
  const math = findBelow(element, ({ tag }) => tag === 'math');
  return (
    DISPLAY.test(element.attributes.class ?? '') ||
    math?.attributes.display === 'block' ||
    element.tag === 'div'
  );
}

function scriptFormula(element: TreeElement): string | null {
  const type = element.attributes.type ?? '';
  if (!type.startsWith('math/tex')) return null;
  const text = element.children.map((child) => ('text' in child ? child.text : '')).join('');
  return formula(text, /mode=display/.test(type));
}

function imageFormula({ attributes }: TreeElement): string | null {
  const { alt = '', class: classes = '' } = attributes;
  if (alt === '' || !LATEX_IMAGE.test(classes)) return null;
  return formula(delimited(alt)?.tex ?? alt, false);
}

function drawnFromScript({ parent }: TreeElement): boolean {
  const siblings = parent?.children ?? [];
  // Searching more for each formula would take quadratic time.
  return siblings
    .slice(0, 500)
    .some((node) => 'tag' in node && /^math\/tex/.test(node.attributes.type ?? ''));
}

/** The source between `\( \)`, `\[ \]`, `$$ $$` or `$ $` when it is all there is. */
function delimited(text: string): { tex: string; display: boolean } | null {
  const match = /^(?:\\\(([\s\S]+)\\\)|\\\[([\s\S]+)\\\]|\$\$([\s\S]+)\$\$|\$([^$]+)\$)$/.exec(text);
  if (match === null) return null;
  const display = match[2] ?? match[3];
  return { tex: display ?? match[1] ?? match[4] ?? '', display: display !== undefined };
}
