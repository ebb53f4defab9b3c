/**
 * Placeholders for decisions that wait until a paragraph is complete. They are Unicode noncharacters,
 * which no text may contain, and are stripped from the page's own text. `finishInline` turns them into Markdown once the
 * whole paragraph is known, because only then is it clear which characters would be read as markup.
 */
export const BREAK = '\uFDD0';
export const STRONG_OPEN = '\uFDD1';
export const STRONG_CLOSE = '\uFDD2';
export const EM_OPEN = '\uFDD3';
export const EM_CLOSE = '\uFDD4';
export const STRIKE_OPEN = '\uFDD5';
export const STRIKE_CLOSE = '\uFDD6';
/** A `$` that opens or closes a formula. */
export const MATH = '\uFDD7';
/** Characters of the page's text that may have to be escaped. */
export const STAR = '\uFDD8';
export const UNDERSCORE = '\uFDD9';
export const TICK = '\uFDDA';
export const TILDE = '\uFDDB';
export const BRACKET_OPEN = '\uFDDC';
export const BRACKET_CLOSE = '\uFDDD';
export const BANG = '\uFDDE';
export const DOLLAR = '\uFDDF';

/** Any mark. */
export const MARKS: RegExp = /[\uFDD0-\uFDEF]/;
const MARKS_ALL = /[\uFDD0-\uFDEF]/g;

/** Strips noncharacters from a text. */
export function stripMarks(text: string): string {
  return MARKS.test(text) ? text.replace(MARKS_ALL, '') : text;
}
