// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is intended
const ASCII = /^[\u0000-\u007f]*$/;
/** No writing system puts more marks on a letter (https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format). */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** A text in NFKC, in linear time: putting marks in order takes quadratic time in their number, so of very many on one letter the rest is dropped. */
export function compatible(text: string): string {
  return ASCII.test(text) ? text : text.replace(MANY_MARKS, '$1').normalize('NFKC');
}
