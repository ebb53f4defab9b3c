/** The beginning of a line: the containers around it and the block that it opens. */
export type LineStart = {
  /** The quote marks with the space around them, such as `> `; `quoteDepth` counts them. */
  quote: string;
  quoteDepth: number;
  /** Columns of space between the quote marks and the list marker or the text. */
  indent: number;
  /** `- ` or `12. ` where the line begins a list item, else empty. */
  marker: string;
  /** The text after all of these. */
  rest: string;
  /** 1 to 6 for a line that begins with that many hash signs, else 0. */
  headingLevel: number;
  isRule: boolean;
};

/** Marks beyond this are text: no page intends them, and a chunk would have to repeat them. */
const QUOTE_CHARS_MAX = 40;
const MARKER = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/** Reads the beginning of one line (CommonMark 0.31, blocks), in time at most proportional to its length. */
export function readLineStart(line: string): LineStart {
  const { quote, quoteDepth } = readQuote(line);
  let at = quote.length;
  while (line[at] === ' ' || line[at] === '\t') at += 1;
  const indent = countColumns(line, quote.length, at);
  const text = at === 0 ? line : line.slice(at);
  const first = text.charCodeAt(0);
  const start = { quote, quoteDepth, indent, marker: '', rest: text, headingLevel: 0, isRule: false };
  // Most lines begin with a letter and open nothing.
  if (first > 0x5f && first !== 0x60) return start;
  if (indent <= 3 && text.length < 200 && RULE.test(text.trimEnd())) return { ...start, isRule: true };
  const marker = MARKER.exec(text)?.[0] ?? '';
  if (marker !== '') return { ...start, marker, rest: text.slice(marker.length) };
  return { ...start, headingLevel: indent <= 3 ? (HEADING.exec(text)?.[0].length ?? 0) : 0 };
}

function readQuote(line: string): { quote: string; quoteDepth: number } {
  let end = 0;
  let quoteDepth = 0;
  for (let at = 0; at < QUOTE_CHARS_MAX; at += 1) {
    const char = line[at];
    if (char === '>') {
      quoteDepth += 1;
      end = line[at + 1] === ' ' ? at + 2 : at + 1;
    } else if (char !== ' ') break;
  }
  return { quote: line.slice(0, end), quoteDepth };
}

function countColumns(line: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) count += line[at] === '\t' ? 4 : 1;
  return count;
}

/** True for the rule below the header of a table: dashes, colons and at least one bar. */
export function isDelimiterRow(text: string): boolean {
  let dashes = 0;
  let bars = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '-') dashes += 1;
    else if (char === '|') bars += 1;
    else if (char !== ':' && char !== ' ' && char !== '\t') return false;
  }
  return dashes > 0 && bars > 0;
}
