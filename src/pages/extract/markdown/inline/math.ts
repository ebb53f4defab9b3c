import { isElement, NO_ATTRIBUTES, type TreeElement, type TreeNode } from '../../table-shape.ts';
import { findBelow, readTextBelow } from '../tags.ts';
import { escapeText } from './escape-text.ts';
import { BREAK, MATH, stripMarks } from './marks.ts';

const wrapInBraces = (part: string | undefined): string => `{${part ?? ''}}`;
const NAMED: Record<string, string> = {
  '∑': '\\sum ',
  '∏': '\\prod ',
  '∫': '\\int ',
  '∞': '\\infty ',
  '→': '\\to ',
  '≤': '\\le ',
  '≥': '\\ge ',
  '≠': '\\ne ',
  '±': '\\pm ',
  '×': '\\times ',
  '⋅': '\\cdot ',
  '∈': '\\in ',
  '∂': '\\partial ',
  '−': '-',
  '≈': '\\approx ',
  α: '\\alpha ',
  β: '\\beta ',
  γ: '\\gamma ',
  δ: '\\delta ',
  ε: '\\epsilon ',
  θ: '\\theta ',
  λ: '\\lambda ',
  μ: '\\mu ',
  π: '\\pi ',
  σ: '\\sigma ',
  φ: '\\phi ',
  ω: '\\omega ',
  Δ: '\\Delta ',
  Σ: '\\Sigma ',
  Ω: '\\Omega ',
};
const createScriptRule =
  (sign: string): Rule =>
  ([base, script]) =>
    `${base ?? ''}${sign}${wrapInBraces(script)}`;
const renderBothScripts: Rule = ([base, low, high]) =>
  `${base ?? ''}_${wrapInBraces(low)}^${wrapInBraces(high)}`;
/** Rules from presentation MathML to LaTeX, by element (W3C MathML Core, section 3). */
const RULES: Record<string, Rule> = {
  msup: createScriptRule('^'),
  msub: createScriptRule('_'),
  mover: createScriptRule('^'),
  munder: createScriptRule('_'),
  msubsup: renderBothScripts,
  munderover: renderBothScripts,
  mfrac: ([above, below]) => `\\frac${wrapInBraces(above)}${wrapInBraces(below)}`,
  msqrt: (parts) => `\\sqrt${wrapInBraces(parts.join(''))}`,
  mroot: ([base, degree]) => `\\sqrt[${degree ?? ''}]${wrapInBraces(base)}`,
  mtable: (rows) => `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`,
  mtr: (cells) => cells.join(' & '),
  mtext: (parts) => `\\text${wrapInBraces(parts.join(''))}`,
  mspace: () => ' ',
  annotation: () => '',
  'annotation-xml': () => '',
};

const RENDERED = /(?:^|\s)(?:katex(?:-display|-html|-mathml)?|mwe-math-element|MathJax(?:_\w+)?)(?=\s|$)/i;
/** Classes of boxes around a source that a script would render; they may also contain prose. */
const SOURCE = /(?:^|\s)(?:math|arithmatex|mathjax)(?=\s|$)/;
const DISPLAY =
  /(?:^|\s)(?:katex-display|mwe-math-element-block|MathJax_Display|math-display|display)(?=\s|$)/;

/**
 * Renders an element that shows a formula as LaTeX between dollar signs; null for any other element. Pages show each
 * formula two or three times (MathML, spans, a picture); the source is used once and its pictures are omitted.
 */
export function renderMath(element: TreeElement): string | null {
  const { tag, attributes } = element;
  if (tag === 'math') return formatFormula(readTex(element), attributes.display === 'block');
  if (tag === 'script') return renderScriptFormula(element);
  if (tag === 'img') return renderImageFormula(element);
  if (attributes === NO_ATTRIBUTES && tag !== 'mjx-container') return null;
  if (tag === 'mjx-container') return formatFormula(findTex(element), attributes.display === 'true');
  const given =
    attributes['data-tex'] ?? attributes['data-expr'] ?? attributes['data-latex'] ?? attributes['data-math'];
  if (given !== undefined && TEX_CLASS.test(attributes.class ?? ''))
    return formatFormula(given, tag === 'div');
  if (attributes.class === undefined) return null;
  if (SOURCE.test(attributes.class)) return renderSourceFormula(element);
  if (!RENDERED.test(attributes.class)) return null;
  // MathJax 2 keeps the source in the script beside its output.
  if (DRAWN.test(attributes.class) && isDrawnFromScript(element)) return '';
  const inner = findTex(element);
  return inner === null ? null : formatFormula(inner, isDisplay(element));
}
const DRAWN = /(?:^|\s)MathJax(?:_Preview|_SVG|_CHTML|_Display)?(?=\s|$)/;

const TEX_CLASS = /math|tex|formula|equation/i;

function renderSourceFormula(element: TreeElement): string | null {
  const source = parseDelimited(readTextBelow(element, true).trim());
  return source === null ? null : formatFormula(source.tex, source.display);
}

/**
 * Renders text with unrendered `\\( … \\)`, `\\[ … \\]`, `$$ … $$` or display environments as inline Markdown; null when it has none.
 * Single dollars delimit a formula only when the page's scripts draw formulas (`drawsMath`).
 */
export function renderTextMath(text: string, drawsMath: () => boolean): string | null {
  const hasDollar = text.includes('$');
  if (!hasDollar && !text.includes('\\')) return null;
  const single = hasDollar && SINGLE.test(text) && drawsMath();
  let end = 0;
  let written = '';
  const closes = new Map<string, number>();
  for (const { index, 0: open, 1: environment } of text.matchAll(OPENING)) {
    if (index < end || (open === '$' && !single)) continue;
    const sign = environment === undefined ? (CLOSING[open] ?? '') : `\\end{${environment}}`;
    // A closing sign that was found remains the next one for every opening before it.
    let close = closes.get(sign) ?? 0;
    if (close !== -1 && close < index + open.length)
      close = open === '$' ? findSingleEnd(text, index + 1) : text.indexOf(sign, index + open.length);
    closes.set(sign, close);
    if (close === -1 || close - index > SOURCE_CHARS_MAX) continue;
    const inner = text.slice(index + open.length, close);
    if (open === '$$' && !LIKE_MATH.test(inner)) continue;
    if (open === '$' && !isSingleFormula(inner)) continue;
    const tex = environment === undefined ? inner : text.slice(index, close + sign.length);
    written += escapeText(text.slice(end, index)) + formatFormula(tex, open !== '\\(' && open !== '$');
    end = close + sign.length;
  }
  return end === 0 ? null : written + escapeText(text.slice(end));
}
const OPENING =
  /\\[([]|\$\$|(?<![\\\w$])\$(?=[^\s$])|\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|displaymath)\*?)\}/g;
const CLOSING: Record<string, string> = { '\\(': '\\)', '\\[': '\\]', $$: '$$', $: '$' };
/** Matches formulas; text between two pairs of dollars that mean money is prose. */
const LIKE_MATH = /[\\^_=+<>{}]|^\s*\S{1,12}\s*$/;
const SOURCE_CHARS_MAX = 4_000;

const SINGLE = /(?<![\\\w$])\$(?=[^\s$])/;
/** A dollar that may end a formula: directly after it, and not before a price. */
const SINGLE_END = /(?<=[^\s\\$])\$(?![\d$\w])/g;

function findSingleEnd(text: string, from: number): number {
  SINGLE_END.lastIndex = from;
  return SINGLE_END.exec(text)?.index ?? -1;
}

/** Returns whether a text between dollars has LaTeX signs or is a term such as `n` or `O(n)`; text between prices is prose. */
function isSingleFormula(inner: string): boolean {
  if (inner.length > SINGLE_CHARS_MAX || inner.includes('\n\n')) return false;
  return /^\d[\d.,]*\s/.test(inner) ? false : /[\\^_={}<>]/.test(inner) || TERM.test(inner);
}
const SINGLE_CHARS_MAX = 400;
const TERM =
  /^(?:[a-zA-Z]'?|[a-zA-Z]{0,3}\([\w\s,+*/-]{1,20}\)|[\w.]{1,12}(?:\s?[+*/,-]\s?[\w.]{1,12}){1,6}|\d[\d.,]*)$/;

function formatFormula(tex: string | null, display: boolean): string {
  const source = stripMarks(tex ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (source === '') return '';
  return display ? BREAK + BREAK + MATH + MATH + source + MATH + MATH + BREAK + BREAK : MATH + source + MATH;
}

function readTex(math: TreeElement): string {
  const annotation = findBelow(
    math,
    ({ tag, attributes }) => tag === 'annotation' && /tex/i.test(attributes.encoding ?? ''),
  );
  const tex =
    annotation === null ? (math.attributes.alttext ?? convertMathMl(math)) : readTextBelow(annotation, false);
  // Some converters put a meaningless wrapper around every formula.
  return tex.trim().replace(/^\{\\(?:display|text)style\s*(?!\s)([\s\S]*)\}$/, '$1');
}

function findTex(element: TreeElement): string | null {
  const math = findBelow(element, ({ tag }) => tag === 'math');
  return math === null ? null : readTex(math);
}

function isDisplay(element: TreeElement): boolean {
  const math = findBelow(element, ({ tag }) => tag === 'math');
  return (
    DISPLAY.test(element.attributes.class ?? '') ||
    math?.attributes.display === 'block' ||
    element.tag === 'div'
  );
}

function renderScriptFormula(element: TreeElement): string | null {
  const type = element.attributes.type ?? '';
  if (!type.startsWith('math/tex')) return null;
  const text = element.children.map((child) => ('text' in child ? child.text : '')).join('');
  return formatFormula(text, /mode=display/.test(type));
}

function renderImageFormula(element: TreeElement): string | null {
  const tex = findImageTex(element);
  return tex === null || tex === '' ? null : formatFormula(parseDelimited(tex)?.tex ?? tex, false);
}

function isDrawnFromScript({ parent }: TreeElement): boolean {
  const siblings = parent?.children ?? [];
  // Searching more for each formula would take quadratic time.
  return siblings
    .slice(0, 500)
    .some((node) => 'tag' in node && /^math\/tex/.test(node.attributes.type ?? ''));
}

/** Parses a text that is entirely enclosed in `\( \)`, `\[ \]`, `$$ $$` or `$ $`; null for other texts. */
function parseDelimited(text: string): { tex: string; display: boolean } | null {
  const match = /^(?:\\\(([\s\S]+)\\\)|\\\[([\s\S]+)\\\]|\$\$([\s\S]+)\$\$|\$([^$]+)\$)$/.exec(text);
  if (match === null) return null;
  const display = match[2] ?? match[3];
  return { tex: display ?? match[1] ?? match[4] ?? '', display: display !== undefined };
}

type Rule = (parts: string[], element: TreeElement) => string;

/** Converts MathML without a LaTeX source to LaTeX; unknown elements yield their contents. */
function convertMathMl(node: TreeNode): string {
  if (!isElement(node)) {
    const text = node.text.trim();
    return Object.hasOwn(NAMED, text) ? (NAMED[text] ?? text) : text;
  }
  const parts = node.children.map(convertMathMl).filter((part) => part !== '');
  const rule = Object.hasOwn(RULES, node.tag) ? RULES[node.tag] : undefined;
  return rule === undefined ? parts.join('') : rule(parts, node);
}

const LATEX_CLASS = /(?:^|\s)(?:latex|tex|math|mwe-math-fallback-image-\w+)(?=\s|$)/i;
/** Addresses of services that draw a formula given in the address, as a parameter or as the whole query. */
const IMAGE_OF_TEX =
  /^(?:https?:)?\/\/(?:latex\.codecogs\.com\/(?:eq\.latex|[\w.]*)|(?:www\.)?zhihu\.com\/equation|s0\.wp\.com\/latex\.php|[^/]{1,100}\/(?:cgi-bin\/)?(?:mathtex|mimetex)(?:\.cgi|\.php)?)\?/i;
const FORMULA_CHARS_MAX = 4_000;

/** Finds the LaTeX of a picture of a formula, with or without delimiters; null for other pictures. */
export function findImageTex({ attributes }: TreeElement): string | null {
  const { alt = '', class: classes = '', src = '' } = attributes;
  if (alt.length > FORMULA_CHARS_MAX || src.length > FORMULA_CHARS_MAX) return null;
  if (alt !== '' && LATEX_CLASS.test(classes)) return alt;
  if (isDelimited(alt)) return alt;
  return IMAGE_OF_TEX.test(src) ? alt.trim() || decodeAddressTex(src) : null;
}
/** Returns whether a description is a delimited formula; between dollars it must look like one, since `$` also marks prices. */
const isDelimited = (alt: string): boolean =>
  SIGNS.some(
    ([open, close]) => alt.length > open.length * 2 && alt.startsWith(open) && alt.endsWith(close),
  ) &&
  (!alt.startsWith('$') || /[\\^_=]/.test(alt));
const SIGNS = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$', '$'],
] as const;

function decodeAddressTex(src: string): string | null {
  const query = src.slice(src.indexOf('?') + 1).split('#', 1)[0] ?? '';
  const named = /^(?:.*&)?(?:tex|latex)=([^&]*)/.exec(query)?.[1];
  // These names stand for signs only where the whole query is the formula.
  const written = named?.replaceAll('+', ' ') ?? query.replace(/&space;/g, ' ').replace(/&plus;/g, '+');
  try {
    return decodeURIComponent(written.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
