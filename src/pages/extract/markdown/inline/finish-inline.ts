import { escapeBrackets, escapeLineStart } from '../line-start.ts';
import { resolveEmphasis } from './emphasis.ts';
import { escapeText } from './escape-text.ts';
import * as marks from './marks.ts';

const PARAGRAPH_END = new RegExp(`(?:(?<! ) +)?${marks.BREAK}(?: *${marks.BREAK})+ *`);
const LINE_END = new RegExp(`(?:(?<! ) +)?${marks.BREAK} *`);

/** Finishes inline Markdown with marks as paragraphs of lines; two line breaks in a row separate paragraphs. */
export function finishParagraphs(raw: string): string[][] {
  const found: string[][] = [];
  for (const part of raw.includes(marks.BREAK) ? raw.split(PARAGRAPH_END) : [raw]) {
    const lines = finishInline(part)
      .split(LINE_END)
      .filter((line) => line !== '');
    if (lines.length > 0)
      found.push(lines.map((line, at) => escapeLineStart(line, at) + (at < lines.length - 1 ? '\\' : '')));
  }
  return found;
}

/** Finishes inline Markdown as one line, with `breakAs` for line breaks (a space in headings, `<br>` in table cells). */
export function finishLine(raw: string, breakAs: string): string {
  return finishInline(raw)
    .split(marks.BREAK)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(breakAs);
}

/** Writes plain text as one line of Markdown, for what is no HTML; as the text of a link, brackets are escaped too. */
export function escapeMarkdown(text: string, { isLinkText = false }: { isLinkText?: boolean } = {}): string {
  const raw = escapeText(text);
  return finishLine(isLinkText ? escapeBrackets(raw) : raw, ' ');
}

/** Resolves all marks but line breaks and collapses spaces. */
function finishInline(raw: string): string {
  const text = raw.replace(/ {2,}/g, ' ').trim();
  if (!marks.MARKS.test(text)) return text;
  return escapeLiterals(resolveEmphasis(text));
}

type Literal = { mark: string; char: string; escaped: (text: string) => (at: number) => boolean };

const LITERALS: Literal[] = [
  { mark: marks.STAR, char: '*', escaped: (text) => createDelimiterCheck(text, marks.STAR, /[*]/, false) },
  {
    mark: marks.UNDERSCORE,
    char: '_',
    escaped: (text) => createDelimiterCheck(text, marks.UNDERSCORE, /(?!)/, true),
  },
  { mark: marks.TILDE, char: '~', escaped: (text) => createDelimiterCheck(text, marks.TILDE, /~~/, false) },
  { mark: marks.TICK, char: '`', escaped: (text) => answerAlways(hasTwo(text, marks.TICK, '`')) },
  // A lone bracket is text; the character after it makes it a link, and `^` a footnote.
  { mark: marks.BRACKET_OPEN, char: '[', escaped: (text) => (at) => text[at + 1] === '^' },
  { mark: marks.BRACKET_CLOSE, char: ']', escaped: (text) => (at) => /[([]/.test(text[at + 1] ?? '') },
  { mark: marks.BANG, char: '!', escaped: (text) => (at) => text[at + 1] === '[' },
  { mark: marks.DOLLAR, char: '$', escaped: (text) => answerAlways(text.includes(marks.MATH)) },
];

const answerAlways = (answer: boolean) => (): boolean => answer;

function escapeLiterals(text: string): string {
  let done = text;
  for (const { mark, char, escaped } of LITERALS) {
    if (!text.includes(mark)) continue;
    const mustEscape = escaped(done);
    done = done.replaceAll(mark, (_, at: number) => (mustEscape(at) ? `\\${char}` : char));
  }
  return done.replaceAll(marks.MATH, '$');
}

/** Returns a check for delimiters to escape: those that could open or close emphasis, once a pair is possible. */
function createDelimiterCheck(
  text: string,
  mark: string,
  written: RegExp,
  wordBound: boolean,
): (at: number) => boolean {
  const readBefore = (at: number): string => readBeyondRun(text, at, -1, mark);
  const readAfter = (at: number): string => readBeyondRun(text, at, 1, mark);
  const canOpen = (at: number): boolean => !isSpace(readAfter(at)) && !(wordBound && isWord(readBefore(at)));
  const canClose = (at: number): boolean => !isSpace(readBefore(at)) && !(wordBound && isWord(readAfter(at)));
  let opened = false;
  let paired = written.test(text);
  for (let at = text.indexOf(mark); at !== -1 && !paired; at = text.indexOf(mark, at + 1)) {
    if (opened && canClose(at)) paired = true;
    if (canOpen(at)) opened = true;
  }
  return (at) => paired && (canOpen(at) || canClose(at));
}

/** Maximum length searched of a run. Longer runs are decoration, and searching each to its end would take quadratic time. */
const RUN_MAX = 16;

function readBeyondRun(text: string, at: number, step: 1 | -1, mark: string): string {
  let place = at + step;
  while (text[place] === mark && Math.abs(place - at) < RUN_MAX) place += step;
  return text[place] ?? ' ';
}

const isSpace = (char: string): boolean => char === ' ' || char === marks.BREAK;
const isWord = (char: string): boolean => /[\p{L}\p{N}]/u.test(char);

function hasTwo(text: string, mark: string, char: string): boolean {
  return text.includes(char) || text.indexOf(mark) !== text.lastIndexOf(mark);
}
