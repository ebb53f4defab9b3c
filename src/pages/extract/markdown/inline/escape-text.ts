import * as marks from './marks.ts';

const LITERALS: Record<string, string> = {
  '*': marks.STAR,
  _: marks.UNDERSCORE,
  '`': marks.TICK,
  '~': marks.TILDE,
  '[': marks.BRACKET_OPEN,
  ']': marks.BRACKET_CLOSE,
  '!': marks.BANG,
  $: marks.DOLLAR,
};
const SPECIAL = /[*_`~[\]!$\\<&\uFDD0-\uFDEF]/;
const SPECIAL_ALL = /[*_`~[\]!$\\<&\uFDD0-\uFDEF]/g;
// Soft hyphens and zero-width spaces are typesetting, private-use characters are icons of a font that the reader lacks;
// a zero-width joiner (U+200D) is part of emoji and of words.
const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF\uE000-\uF8FF]/;
const INVISIBLE_ALL = /[\u00AD\u200B\u2060\uFEFF\uE000-\uF8FF]/g;
const ENTITY = /&(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});/iy;

/** Text of the page -> inline Markdown with marks, white space collapsed to single spaces. */
export function escapeText(text: string): string {
  const plain = collapse(text);
  if (!SPECIAL.test(plain)) return plain;
  return plain.replace(
    SPECIAL_ALL,
    (char, at: number) => LITERALS[char] ?? escapeByNextChar(char, at, plain),
  );
}

/** White space of every kind (no-break spaces too) as one space, invisible characters left out. */
export function collapse(text: string): string {
  const visible = INVISIBLE.test(text) ? text.replace(INVISIBLE_ALL, '') : text;
  return visible.replace(/\s+/g, ' ');
}

/** Characters whose escaping the next one decides; at the end of a text anything may follow, so they are escaped. */
function escapeByNextChar(char: string, at: number, text: string): string {
  if (char === '<') return /[a-z/!?]/i.test(text[at + 1] ?? 'a') ? '\\<' : '<';
  if (char === '\\') return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '!') ? '\\\\' : '\\';
  if (char !== '&') return '';
  ENTITY.lastIndex = at;
  return ENTITY.test(text) ? '\\&' : '&';
}
