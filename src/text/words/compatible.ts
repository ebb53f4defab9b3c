// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is intended
const ASCII = /^[\u0000-\u007f]*$/;
/** No writing system puts more marks on a letter (https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format). */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Drops marks beyond the 30th on one letter: normal forms sort marks, which takes quadratic time in their number. */
export function limitMarks(text: string): string {
  return text.replace(MANY_MARKS, '$1');
}

/** Normalizes a text to NFKC, in linear time. */
export function toNfkc(text: string): string {
  return ASCII.test(text) ? text : limitMarks(text).normalize('NFKC');
}
