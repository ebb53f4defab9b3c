import { markdownOfHtml } from '../markdown-of-html.ts';

/** How elements within a line are written: the same sign on both sides, or nothing. */
const SIGNS: Record<string, string> = Object.fromEntries([
  ...['b', 'strong'].map((tag) => [tag, '**']),
  ...['i', 'em', 'cite', 'dfn', 'var'].map((tag) => [tag, '*']),
  ...['del', 's', 'strike'].map((tag) => [tag, '~~']),
  ...['code', 'kbd', 'samp', 'tt'].map((tag) => [tag, '`']),
  ...'a abbr big center details div font h1 h2 h3 h4 h5 h6 hr ins li mark nobr ol p picture q section small source span summary sub sup table tbody td th thead tr u ul video wbr'
    .split(' ')
    .map((tag) => [tag, '']),
]);
const TAG = /<(\/?)([a-z][a-z0-9]{0,10})((?:\s[^<>]{0,4000})?)\/?>/gi;
const VOID: ReadonlySet<string> = new Set(['img', 'br', 'hr', 'source', 'wbr']);
/** A raised or lowered text that has signs of its own. */
const SCRIPT_CHARS_MAX = 20;

type Piece = { tag: string; text: string; close: boolean; open: boolean; attributes: string; pair: number };

/**
 * Tags within a text as Markdown: emphasis and code by their signs, links and pictures in brackets, line breaks; names of anchors
 * and elements that only arrange things are dropped. Unknown tags stay: they may be meant as text.
 */
export function withoutTags(text: string): string {
  if (!text.includes('<')) return text;
  const pieces = piecesOf(withoutComments(text));
  pairUp(pieces);
  return pieces.map((piece, at) => written(piece, pieces, at)).join('');
}

function withoutComments(text: string): string {
  if (!text.includes('<!--')) return text;
  return text
    .split('<!--')
    .map((part, at) => {
      if (at === 0) return part;
      const end = part.indexOf('-->');
      return end === -1 ? '' : part.slice(end + 3);
    })
    .join('');
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  const plain = (part: string): void => {
    if (part !== '')
      pieces.push({ tag: '', text: part, close: false, open: false, attributes: '', pair: -1 });
  };
  let from = 0;
  for (const match of text.matchAll(TAG)) {
    const [all, slash = '', name = '', attributes = ''] = match;
    const tag = name.toLowerCase();
    if (!Object.hasOwn(SIGNS, tag) && !VOID.has(tag)) continue;
    plain(text.slice(from, match.index));
    from = match.index + all.length;
    const close = slash !== '';
    pieces.push({ tag, text: all, close, open: !close && !VOID.has(tag), attributes, pair: -1 });
  }
  plain(text.slice(from));
  return pieces;
}

/** Joins each closing tag with the tag that it closes; the others have no effect. */
function pairUp(pieces: Piece[]): void {
  const waiting = new Map<string, number[]>();
  for (const [at, piece] of pieces.entries()) {
    if (piece.open) waiting.set(piece.tag, [...(waiting.get(piece.tag) ?? []).slice(-9), at]);
    const start = piece.close ? waiting.get(piece.tag)?.pop() : undefined;
    const opening = start === undefined ? undefined : pieces[start];
    if (opening === undefined || start === undefined) continue;
    opening.pair = at;
    piece.pair = start;
  }
}

function written(piece: Piece, pieces: Piece[], at: number): string {
  const { tag, text, pair, close } = piece;
  if (tag === '') return text;
  if (tag === 'img') return picture(piece.attributes);
  if (tag === 'br') return lineBreak(pieces, at);
  if (VOID.has(tag) || pair === -1) return '';
  const [start, end] = close ? [pair, at] : [at, pair];
  const inner = pieces.slice(start + 1, end);
  if (inner.every((one) => one.tag === '' && one.text.trim() === '')) return '';
  if (tag === 'a') return anchor(pieces[start], close);
  if (tag === 'sub' || tag === 'sup') return script(pieces, { start, end, close });
  const sign = SIGNS[tag] ?? '';
  return sign === '`' && inner.some((one) => /[`\0]/.test(one.text)) ? '' : sign;
}

function anchor(opening: Piece | undefined, close: boolean): string {
  const href = attributeOf(opening?.attributes ?? '', 'href');
  if (href === null) return '';
  return close ? `](${pointed(href)})` : '[';
}

function picture(attributes: string): string {
  const src = attributeOf(attributes, 'src');
  const alt = (attributeOf(attributes, 'alt') ?? '').replace(/[[\]\\\s]+/g, ' ').trim();
  return src === null || src.startsWith('data:') ? alt : `![${alt}](${pointed(src)})`;
}

const pointed = (href: string): string => (/[\s()]/.test(href.trim()) ? `<${href.trim()}>` : href.trim());

/** A line break; in a row of a table and in a heading a space, at the end of a line nothing more. */
function lineBreak(pieces: Piece[], at: number): string {
  const before = pieces[at - 1]?.text ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const after = pieces[at + 1]?.text ?? '';
  if (/^\s{0,99}(?:\||#{1,6}\s)/.test(line) || / \| /.test(line)) return ' ';
  if (after.trim() === '' && pieces.length === at + (after === '' ? 1 : 2)) return '';
  return /^[ \t]*\n/.test(after) ? '\\' : '\\\n';
}

/** Raised and lowered figures have signs of their own; other small print is plain text. */
function script(
  pieces: Piece[],
  { start, end, close }: { start: number; end: number; close: boolean },
): string {
  const inner = pieces[start + 1];
  if (end !== start + 2 || inner === undefined || inner.tag !== '') return '';
  if (inner.text.length > SCRIPT_CHARS_MAX || !/^[\w+\-−=() ]+$/.test(inner.text)) return '';
  if (close) return '';
  const tag = pieces[start]?.tag ?? 'sup';
  const signs = markdownOfHtml([`<p>x<${tag}>${inner.text}</${tag}></p>`], 'about:blank').markdown.slice(1);
  inner.text = signs;
  return '';
}

function attributeOf(attributes: string, name: string): string | null {
  for (const [, key = '', double, single, bare] of attributes.matchAll(ATTRIBUTE))
    if (key.toLowerCase() === name) return double ?? single ?? bare ?? '';
  return null;
}
const ATTRIBUTE = /([a-z-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,4000})"|'([^']{0,4000})'|([^\s"'<>]{1,4000}))/gi;
