import { isElement, type TreeElement } from '../../table-shape.ts';
import { escapeBrackets } from '../line-start.ts';
import { findBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { collapse, escapeText } from './escape-text.ts';
import { escapeParentheses } from './link.ts';

/** Attributes in which lazily loading pages keep the real address, most reliable first. */
const LAZY = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-actualsrc',
  'data-hi-res-src',
  'data-url',
];
const SRCSETS = ['srcset', 'data-srcset', 'data-lazy-srcset'];
/** Images that carry no picture: counting pixels and layout spacers. */
const PIXEL =
  /(?:^|[/._-])(?:pixel|spacer|blank|transparent|1x1|tracking|beacon|clear(?:dot|pixel))\.(?:gif|png)|\/(?:pixel|beacon|b\/collect)\b|doubleclick\.net|facebook\.com\/tr\b/i;
const EMOJI = /(?:^|\s)(?:wp-smiley|emoji|emojione|twemoji|g-emoji)(?=\s|$)/i;

/** Maximum siblings searched; with more, searching for each `noscript` would take quadratic time. */
const SIBLINGS_MAX = 500;

/** Renders `img` as an image with its alternative text, or as the text alone for an emoji; omits decoration and pixels. */
export function renderImage(element: TreeElement, context: WriterContext): string {
  const { alt, class: classes = '', role } = element.attributes;
  if (alt !== undefined && EMOJI.test(classes)) return escapeText(alt);
  const src = resolveImageSource(element, context);
  if (src === null || isPixel(element, src)) return '';
  // An empty alt marks the picture as decoration; in a figure the caption still refers to it.
  if ((alt?.trim() === '' || role === 'presentation') && !isInFigure(element)) return '';
  return `![${escapeBrackets(escapeText(alt ?? element.attributes.title ?? '').trim())}](${escapeParentheses(src)})`;
}

/** Renders the picture in a `noscript`, unless the image before it already has an address. */
export function renderNoscriptImage(element: TreeElement, context: WriterContext): string {
  const picture = findBelow(element, ({ tag }) => tag === 'img');
  const all = element.parent?.children ?? [];
  if (picture === null || all.length > SIBLINGS_MAX) return '';
  const siblings = all.filter(isElement);
  const before = siblings[siblings.indexOf(element) - 1];
  const other = before?.tag === 'img' ? before : before && findBelow(before, ({ tag }) => tag === 'img');
  return other && resolveImageSource(other, context) !== null ? '' : renderImage(picture, context);
}

/** Resolves the absolute address of an image, wherever a lazily loading page keeps it; null when it has none. */
export function resolveImageSource(
  element: TreeElement,
  { resolve }: Pick<WriterContext, 'resolve'>,
): string | null {
  const { attributes, parent } = element;
  const places = [
    ...LAZY.map((name) => attributes[name]),
    attributes.src,
    ...SRCSETS.map((name) => pickLargest(attributes[name])),
    ...(parent?.tag === 'picture' ? parent.children.filter(isElement) : []).flatMap((source) =>
      SRCSETS.map((name) => pickLargest(source.attributes[name])),
    ),
  ];
  for (const place of places) {
    if (place === undefined || place.trim() === '' || /^\s*data:/i.test(place)) continue;
    const address = resolve(place.trim());
    if (address !== null && /^https?:/.test(address)) return address;
  }
  return null;
}

/** Picks the largest picture of a srcset, by width or density. */
function pickLargest(srcset: string | undefined): string | undefined {
  if (srcset === undefined) return undefined;
  let best: string | undefined;
  let most = -1;
  for (const candidate of collapse(srcset).trim().split(/,\s+/)) {
    const [address, size = '1x'] = candidate.split(' ');
    const measure = Number.parseFloat(size) * (size.endsWith('x') ? 1_000 : 1);
    if (address === undefined || address === '' || !(measure >= most)) continue;
    most = measure;
    best = address;
  }
  return best;
}

function isPixel({ attributes }: TreeElement, src: string): boolean {
  const isTiny = (value: string | undefined): boolean =>
    value !== undefined && /^[012](?:px)?$/.test(value.trim());
  return isTiny(attributes.width) || isTiny(attributes.height) || PIXEL.test(src);
}

function isInFigure(element: TreeElement): boolean {
  for (let above = element.parent, steps = 0; above !== null && steps < 4; above = above.parent, steps += 1) {
    if (above.tag === 'figure') return true;
  }
  return false;
}
