const SPACE = 1;
const SENTENCE_END = 2;
export const OPENING = 4;
const CLOSING = 8;
export const LETTER = 16;
const LINE_MARK = 32;

/** The classes of ASCII characters; the rest of Unicode is classified word by word. */
const CLASSES = new Uint8Array(128);
const classify = (characters: string, as: number): void => {
  for (const character of characters)
    CLASSES[character.charCodeAt(0)] = (CLASSES[character.charCodeAt(0)] ?? 0) | as;
};
classify(' \t\n\r\f\v', SPACE);
classify('.!?', SENTENCE_END);
classify('([{"\'*_`<>|', OPENING);
classify('.,;:!?)]}"\'*_`|<>', CLOSING);
classify('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER);
classify('-*+|#>0123456789', LINE_MARK);

/** Maximum characters of abbreviations such as `Mr.` and `St.`, which do not end a sentence. */
const ABBREVIATION_CHARS_MAX = 3;
const LINK_CHARS_MAX = 2_000;

export const classifyCode = (code: number): number => (code < 128 ? (CLASSES[code] ?? 0) : 0);
export const isSpace = (code: number): boolean =>
  code < 128 ? ((CLASSES[code] ?? 0) & SPACE) !== 0 : code === 0xa0 || code === 0x3000;

/** True when the line at `at` is a block of its own: blank, an item, a row, a heading, a quote. */
export function isBlockLine(text: string, at: number): boolean {
  let next = at;
  while (text.charCodeAt(next) === 32) next += 1;
  return (
    next >= text.length ||
    text.charCodeAt(next) === 10 ||
    (classifyCode(text.charCodeAt(next)) & LINE_MARK) !== 0
  );
}

/** What begins at a line: nothing new, a paragraph, or a marked block. */
export const [SAME, PARAGRAPH, MARKED] = [0, 1, 2];
const ITEM = /(?:[-*+]|\d{1,3}[.)])[ \t]/y;

/**
 * Returns what begins at the line at `at`: MARKED for a list item, row or heading, PARAGRAPH for an unindented line after a blank
 * line, else SAME.
 */
export function detectBlock(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === 35 || first === 124) return MARKED;
  let start = at;
  while (text.charCodeAt(start) === 32 || text.charCodeAt(start) === 9) start += 1;
  ITEM.lastIndex = start;
  if (ITEM.test(text)) return MARKED;
  if (first !== 10) return SAME;
  const next = text.charCodeAt(at + 1);
  return isSpace(next) || next === 35 || next === 124 ? SAME : PARAGRAPH;
}

/** Returns the end of the closing marks at `at` if a space or the end follows them, else -1. */
export function findClosingEnd(text: string, at: number): number {
  let next = at;
  while (next < text.length && (classifyCode(text.charCodeAt(next)) & CLOSING) !== 0) {
    if (text.charCodeAt(next) === 93 && text.charCodeAt(next + 1) === 40) return -1;
    next += 1;
  }
  return next > at && (next >= text.length || isSpace(text.charCodeAt(next))) ? next : -1;
}

export function isSentenceEnd(text: string, from: number, end: number, stop: number): boolean {
  for (let at = end; at < stop; at += 1) {
    const code = text.charCodeAt(at);
    if ((classifyCode(code) & SENTENCE_END) === 0) continue;
    if (code !== 46 || end - from > ABBREVIATION_CHARS_MAX) return true;
    const first = text.charCodeAt(from);
    return first >= 97 || (first >= 48 && first <= 57);
  }
  return false;
}

/** Returns the end of the link address that begins at `at`. */
export function skipAddress(text: string, at: number): number {
  let depth = 1;
  const end = Math.min(text.length, at + LINK_CHARS_MAX);
  for (let next = at; next < end; next += 1) {
    const code = text.charCodeAt(next);
    if (code === 40) depth += 1;
    else if (code === 41) depth -= 1;
    else if (code === 10) break;
    if (depth === 0) return next + 1;
  }
  return at;
}
