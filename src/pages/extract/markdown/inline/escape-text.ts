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
// Soft hyphens and zero-width spaces are typesetting; private-use characters are icons of a font that the reader lacks.
// The zero-width joiner (U+200D) stays: it is part of emoji and of words.
const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF\uE000-\uF8FF]/;
const INVISIBLE_ALL = /[\u00AD\u200B\u2060\uFEFF\uE000-\uF8FF]/g;
const ENTITY = /&(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});/iy;

/** Converts text of the page to inline Markdown with marks; collapses white space to single spaces. */
export function escapeText(text: string): string {
  const plain = collapse(text);
  if (!SPECIAL.test(plain)) return plain;
  return plain.replace(
    SPECIAL_ALL,
    (char, at: number) => LITERALS[char] ?? escapeByNextChar(char, at, plain),
  );
}

/** Collapses white space of every kind (no-break spaces too) to single spaces and removes invisible characters. */
export function collapse(text: string): string {
  const visible = INVISIBLE.test(text) ? text.replace(INVISIBLE_ALL, '') : text;
  return visible.replace(/\s+/g, ' ');
}

/** Escapes a character depending on the next one. At the end of a text anything may follow, so it is escaped. */
function escapeByNextChar(char: string, at: number, text: string): string {
  if (char === '<') return /[a-z/!?]/i.test(text[at + 1] ?? 'a') ? '\\<' : '<';
  if (char === '\\') return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '!') ? '\\\\' : '\\';
  if (char !== '&') return '';
  ENTITY.lastIndex = at;
  return ENTITY.test(text) ? '\\&' : '&';
}
