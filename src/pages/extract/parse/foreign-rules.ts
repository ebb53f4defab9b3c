import { addElement, type Builder, openElement, type StartTag } from './builder.ts';
import { BREAKS_OUT } from './names.ts';
import {
  closeFrom,
  findCurrentElement,
  findCurrentNamespace,
  type OpenElements,
  popOne,
} from './open-elements.ts';
import type { StartResult } from './rules.ts';

const MATH_TEXT = new Set(['mi', 'mo', 'mn', 'ms', 'mtext']);
const SVG_HTML = new Set(['foreignobject', 'desc', 'title']);

/** Returns whether a start tag here belongs to SVG or MathML and not to HTML within them (HTML, 13.2.6). */
export function isForeignStart(builder: Builder, tag: string): boolean {
  const { open } = builder;
  const space = findCurrentNamespace(open);
  if (space === 'html' || isHtmlPoint(open)) return false;
  const current = findCurrentElement(open)?.tag ?? '';
  if (space === 'math' && MATH_TEXT.has(current)) return tag === 'mglyph' || tag === 'malignmark';
  return !(space === 'math' && current === 'annotation-xml' && tag === 'svg');
}

/** Returns whether text here is text of SVG or MathML. */
export function isForeignText(builder: Builder): boolean {
  const { open } = builder;
  const space = findCurrentNamespace(open);
  if (space === 'html' || isHtmlPoint(open)) return false;
  return !(space === 'math' && MATH_TEXT.has(findCurrentElement(open)?.tag ?? ''));
}

/** Returns whether the innermost element is an HTML integration point. */
function isHtmlPoint(open: OpenElements): boolean {
  const current = findCurrentElement(open);
  if (current === undefined) return false;
  if (findCurrentNamespace(open) === 'svg') return SVG_HTML.has(current.tag);
  const encoding = current.attributes.encoding?.toLowerCase();
  return (
    current.tag === 'annotation-xml' && (encoding === 'text/html' || encoding === 'application/xhtml+xml')
  );
}

/** Applies a start tag within SVG or MathML; returns 'again' when it ends them. */
export function startForeign(builder: Builder, { tag, attributes, selfClosing }: StartTag): StartResult {
  const isFont = tag === 'font' && ['color', 'face', 'size'].some((name) => attributes[name] !== undefined);
  if (BREAKS_OUT.has(tag) || isFont) {
    leaveForeign(builder);
    return 'again';
  }
  if (selfClosing) addElement(builder, tag, attributes);
  else openElement(builder, tag, attributes, findCurrentNamespace(builder.open));
  return 'markup';
}

function leaveForeign(builder: Builder): void {
  do popOne(builder.open);
  while (isForeignText(builder));
}

/** Applies an end tag within SVG or MathML; returns true when it belongs to HTML. */
export function endForeign(builder: Builder, tag: string): boolean {
  const { open } = builder;
  if (tag === 'br' || tag === 'p') {
    leaveForeign(builder);
    return true;
  }
  for (let at = open.elements.length - 1; at > 0; at -= 1) {
    if (open.spaces[at] === 'html') return true;
    if (open.elements[at]?.tag !== tag) continue;
    closeFrom(open, at);
    return false;
  }
  return false;
}
