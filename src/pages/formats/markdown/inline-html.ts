import { convertToMarkdown } from '../convert-html.ts';

/** The Markdown sign on both sides of an inline element, or ''. */
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
/** Maximum length of superscript or subscript text that is written with its own Unicode signs. */
const SCRIPT_CHARS_MAX = 20;

type Piece = { tag: string; text: string; close: boolean; open: boolean; attributes: string; pair: number };

/**
 * Converts inline tags to Markdown: emphasis and code by their signs, links and pictures in brackets, line breaks. Names of anchors and
 * layout elements are dropped. Unknown tags stay, because they may be meant as text.
 */
export function convertInlineHtml(text: string): string {
  if (!text.includes('<')) return text;
  const pieces = splitPieces(stripComments(text));
  pairTags(pieces);
  return pieces.map((piece, at) => writePiece(piece, pieces, at)).join('');
}

function stripComments(text: string): string {
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

function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  const addText = (part: string): void => {
    if (part !== '')
      pieces.push({ tag: '', text: part, close: false, open: false, attributes: '', pair: -1 });
  };
  let from = 0;
  for (const match of text.matchAll(TAG)) {
    const [all, slash = '', name = '', attributes = ''] = match;
    const tag = name.toLowerCase();
    if (!Object.hasOwn(SIGNS, tag) && !VOID.has(tag)) continue;
    addText(text.slice(from, match.index));
    from = match.index + all.length;
    const close = slash !== '';
    pieces.push({ tag, text: all, close, open: !close && !VOID.has(tag), attributes, pair: -1 });
  }
  addText(text.slice(from));
  return pieces;
}

/** Pairs each closing tag with the tag that it closes; the others have no effect. */
function pairTags(pieces: Piece[]): void {
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

function writePiece(piece: Piece, pieces: Piece[], at: number): string {
  const { tag, text, pair, close } = piece;
  if (tag === '') return text;
  if (tag === 'img') return writeImage(piece.attributes);
  if (tag === 'br') return writeLineBreak(pieces, at);
  if (VOID.has(tag) || pair === -1) return '';
  const [start, end] = close ? [pair, at] : [at, pair];
  const inner = pieces.slice(start + 1, end);
  if (inner.every((one) => one.tag === '' && one.text.trim() === '')) return '';
  if (tag === 'a') return writeAnchor(pieces[start], close);
  if (tag === 'sub' || tag === 'sup') return writeScript(pieces, { start, end, close });
  const sign = SIGNS[tag] ?? '';
  return sign === '`' && inner.some((one) => /[`\0]/.test(one.text)) ? '' : sign;
}

function writeAnchor(opening: Piece | undefined, close: boolean): string {
  const href = findAttribute(opening?.attributes ?? '', 'href');
  if (href === null) return '';
  return close ? `](${formatTarget(href)})` : '[';
}

function writeImage(attributes: string): string {
  const src = findAttribute(attributes, 'src');
  const alt = (findAttribute(attributes, 'alt') ?? '').replace(/[[\]\\\s]+/g, ' ').trim();
  return src === null || src.startsWith('data:') ? alt : `![${alt}](${formatTarget(src)})`;
}

const formatTarget = (href: string): string =>
  /[\s()]/.test(href.trim()) ? `<${href.trim()}>` : href.trim();

/** Writes a line break: in a table row or a heading a space, at the end of a line nothing more. */
function writeLineBreak(pieces: Piece[], at: number): string {
  const before = pieces[at - 1]?.text ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const after = pieces[at + 1]?.text ?? '';
  if (/^\s{0,99}(?:\||#{1,6}\s)/.test(line) || / \| /.test(line)) return ' ';
  if (after.trim() === '' && pieces.length === at + (after === '' ? 1 : 2)) return '';
  return /^[ \t]*\n/.test(after) ? '\\' : '\\\n';
}

/** Writes superscript and subscript figures with their own Unicode signs; other small print is plain text. */
function writeScript(
  pieces: Piece[],
  { start, end, close }: { start: number; end: number; close: boolean },
): string {
  const inner = pieces[start + 1];
  if (end !== start + 2 || inner === undefined || inner.tag !== '') return '';
  if (inner.text.length > SCRIPT_CHARS_MAX || !/^[\w+\-−=() ]+$/.test(inner.text)) return '';
  if (close) return '';
  const tag = pieces[start]?.tag ?? 'sup';
  const signs = convertToMarkdown([`<p>x<${tag}>${inner.text}</${tag}></p>`], 'about:blank').markdown.slice(
    1,
  );
  inner.text = signs;
  return '';
}

function findAttribute(attributes: string, name: string): string | null {
  for (const [, key = '', double, single, bare] of attributes.matchAll(ATTRIBUTE))
    if (key.toLowerCase() === name) return double ?? single ?? bare ?? '';
  return null;
}
const ATTRIBUTE = /([a-z-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,4000})"|'([^']{0,4000})'|([^\s"'<>]{1,4000}))/gi;
