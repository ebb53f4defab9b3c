import * as marks from './marks.ts';

/** Marks of one kind of emphasis. */
type EmphasisKind = { open: string; close: string; sign: string };
const KINDS: EmphasisKind[] = [
  { open: marks.STRONG_OPEN, close: marks.STRONG_CLOSE, sign: '**' },
  { open: marks.EM_OPEN, close: marks.EM_CLOSE, sign: '*' },
  { open: marks.STRIKE_OPEN, close: marks.STRIKE_CLOSE, sign: '~~' },
];
const ANY = /[\uFDD1-\uFDD6]/;
const MOVABLE = /^[,.:;!?…]$/;

/**
 * Puts emphasized text between marks. Spaces at the edges go outside, since `** text**` is not emphasis, and each
 * paragraph inside gets its own marks, since emphasis ends with its paragraph.
 */
export function emphasize(inner: string, open: string, close: string): string {
  if (inner.length > EMPHASIS_CHARS_MAX) return inner;
  return inner
    .split(PARAGRAPH_END)
    .map((part) => {
      const text = part.replace(EDGES, '');
      if (text === '') return part;
      const start = part.indexOf(text);
      // The same emphasis inside itself adds nothing and would double the marks.
      const once = text.replaceAll(open, '').replaceAll(close, '');
      return part.slice(0, start) + open + once + close + part.slice(start + text.length);
    })
    .join('');
}
const PARAGRAPH_END = new RegExp(`((?:(?<! ) +)?${marks.BREAK}(?: *${marks.BREAK})+ *)`);
/** Maximum length of emphasized text; longer text only uses the page's typeface. */
const EMPHASIS_CHARS_MAX = 10_000;
const EDGES = new RegExp(`^[ ${marks.BREAK}]+|(?<![ ${marks.BREAK}])[ ${marks.BREAK}]+$`, 'g');

/**
 * Turns the marks into `**`, `*` and `~~`. CommonMark reads a sign with punctuation on its inner side and a letter on
 * its outer side as text (`**Note:**text`), so punctuation is moved out; where it cannot be, the emphasis is dropped.
 */
export function resolveEmphasis(text: string): string {
  if (!ANY.test(text)) return text;
  const chars = movePunctuationOut([...mergeAdjacentMarks(text)]);
  const places: number[] = [];
  for (let at = 0; at < chars.length; at += 1) if (isAnyMark(chars[at] as string)) places.push(at);
  const written = new Map<number, string>();
  const opened: number[] = [];
  for (const at of places) {
    const char = chars[at];
    const kind = KINDS.find(({ open, close }) => open === char || close === char);
    if (kind === undefined) continue;
    if (char === kind.open) opened.push(at);
    else {
      const start = opened.pop();
      if (start === undefined) continue;
      const sign = chooseSign(kind, chars, start, at);
      written.set(start, sign).set(at, sign);
    }
  }
  for (const at of places) chars[at] = written.get(at) ?? '';
  return chars.join('');
}

/** Merges neighbours with the same emphasis, since `**a****b**` would be misread. */
function mergeAdjacentMarks(text: string): string {
  return KINDS.reduce((done, { open, close }) => done.replaceAll(close + open, ''), text);
}

function movePunctuationOut(chars: string[]): string[] {
  for (let at = 1; at < chars.length - 1; at += 1) {
    if (
      !isAnyMark(chars[at] as string) ||
      !isMark(chars[at], 'close') ||
      !isWord(findOuterChar(chars, at, 1))
    )
      continue;
    for (let to = at; to > at - MOVED_MAX && MOVABLE.test(chars[to - 1] ?? ''); to -= 1) {
      [chars[to - 1], chars[to]] = [chars[to] ?? '', chars[to - 1] ?? ''];
    }
  }
  return chars;
}
const MOVED_MAX = 3;

function chooseSign(kind: EmphasisKind, chars: string[], start: number, end: number): string {
  const around = { before: findOuterChar(chars, start, -1), after: findOuterChar(chars, end, 1) };
  const opens = !isPunctuation(findOuterChar(chars, start, 1)) || !isWord(around.before);
  const closes = !isPunctuation(findOuterChar(chars, end, -1)) || !isWord(around.after);
  if (!opens || !closes) return '';
  // `*a***b**` is ambiguous; `_` keeps the two runs apart.
  const touches = isMark(chars[start - 1], 'close') || isMark(chars[end + 1], 'open');
  return kind.sign === '*' && touches && !isWord(around.before) && !isWord(around.after) ? '_' : kind.sign;
}

/** Finds the nearest character beyond marks of the same side; a mark of the other side becomes a sign and counts as punctuation. */
function findOuterChar(chars: string[], at: number, step: 1 | -1): string {
  const side = isMark(chars[at], 'open') ? 'open' : 'close';
  let place = at + step;
  while (isMark(chars[place], side)) place += step;
  const char = chars[place] ?? ' ';
  return isAnyMark(char) ? '*' : char;
}

/** Relies on the marks being consecutive code points. */
const isAnyMark = (char: string): boolean => char >= marks.STRONG_OPEN && char <= marks.STRIKE_CLOSE;
const isMark = (char: string | undefined, side: 'open' | 'close'): boolean =>
  KINDS.some((kind) => kind[side] === char);
const isWord = (char: string): boolean => char !== ' ' && char !== marks.BREAK && !isPunctuation(char);
const isPunctuation = (char: string): boolean => /[\p{P}\p{S}\uFDD7-\uFDDF]/u.test(char);
