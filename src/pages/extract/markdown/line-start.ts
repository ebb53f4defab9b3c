import { BRACKET_CLOSE, BRACKET_OPEN } from './inline/marks.ts';

const START =
  /^(?:#{1,6}(?= |$)|>|[-+*](?= |$)|=(?==*$)|-(?=-*$)|([-_*])(?=(?: *\1){2,} *$)|~~~|\d{1,9}(?=[.)](?: |$))|\[)/;

/**
 * Escapes a line start that would turn a paragraph into a heading, list, quote, rule, fence or definition.
 * `place` is the line's index in the paragraph.
 */
export function escapeLineStart(line: string, place: number): string {
  const sign = START.exec(line)?.[0];
  if (sign === undefined) return line;
  if (/\d/.test(sign)) return `${sign}\\${line.slice(sign.length)}`;
  if (sign === '[') return DEFINITION.test(line) || (place === 0 && TASK.test(line)) ? `\\${line}` : line;
  return sign === '=' && place === 0 ? line : `\\${line}`;
}
const DEFINITION = /^\[[^\]]*\]:/;
const TASK = /^\[[ xX]\] /;

/** Escapes a trailing run of `#`, which Markdown would read as the heading's closing sequence. */
export function escapeHeadingEnd(line: string): string {
  return line.replace(/(^|\s)(#+)$/, '$1\\$2');
}

/** Escapes brackets in a link's text, which would end it early. */
export function escapeBrackets(raw: string): string {
  return raw.replaceAll(BRACKET_OPEN, '\\[').replaceAll(BRACKET_CLOSE, '\\]');
}
