/**
 * The one reader of Markdown's lines (CommonMark 0.31 with GitHub's tables): quote marks, list markers, headings, rules, fences, indented code
 * and blocks of HTML. Whoever goes through Markdown line by line asks it what a line is; nobody else looks for fences. It keeps no text.
 */

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

/**
 * `fence` opens or closes the lines of `code`; `indented` is code by its indentation alone. Nothing in code is Markdown, nor in `html`.
 */
export type LineKind = 'blank' | 'text' | 'fence' | 'code' | 'indented' | 'html';

export type ScannedLine = LineStart & {
  kind: LineKind;
  /** Set on the line that opens fenced code. */
  opens: { marks: string; language: string } | null;
};

type LineScanner = {
  /** Classifies the next line; `following` is the line after it, which only blocks of HTML need. */
  scan(line: string, following?: string): ScannedLine;
};

/** Marks beyond this are text: no page intends them, and a chunk would have to repeat them. */
const QUOTE_CHARS_MAX = 40;
const MARKER = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** Backticks in the language would make it a code span. Longer fences are text, because a chunk would have to repeat them. */
const FENCE =
  /^(?:(`{3,20})(?!`)[ \t]*(?![ \t])([^\s`]{0,30})[^`]*|(~{3,20})(?!~)[ \t]*(?![ \t])(\S{0,30}).*)$/s;
/** Columns beyond which a line is indented code instead of what it looks like. */
const INDENT_MAX = 3;
/** Columns between a list marker and its text; a wider gap begins code. */
const MARKER_GAP_MAX = 4;

/** Elements that begin a block of HTML, which ends at a blank line (https://spec.commonmark.org/0.31.2/#html-blocks, kind 6). */
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|noframes|ol|p|param|picture|search|section|summary|table|tbody|td|tfoot|th|thead|tr|track|ul|video)(?=[\s/>]|$)/i;
/** One tag alone on its line begins a block too (kind 7). */
const LONE_TAG =
  /^<\/?(?:a|b|big|br|em|font|i|img|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]{0,4000})?\/?>\s{0,99}$/i;
/** Elements whose text is taken literally, to the end of the element (kind 1). */
const RAW_TAG = /^<(script|pre|style|textarea)(?=[\s>]|$)/i;

/** Reads the beginning of one line, in time at most proportional to its length. */
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
  if (indent <= INDENT_MAX && text.length < 200 && RULE.test(text.trimEnd()))
    return { ...start, isRule: true };
  const marker = MARKER.exec(text)?.[0] ?? '';
  if (marker !== '') return { ...start, marker, rest: text.slice(marker.length) };
  return { ...start, headingLevel: indent <= INDENT_MAX ? (HEADING.exec(text)?.[0].length ?? 0) : 0 };
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
  for (let at = from; at < to; at += 1) count += line[at] === '\t' ? 4 - (count % 4) : 1;
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

type ScanState = {
  readsHtml: boolean;
  /** The open fence: its marks, the column at which it begins, and the depth of the quote around it. */
  fence: { marks: string; column: number; quoteDepth: number } | null;
  /** The text that ends the open block of HTML: an end tag, a comment's end, or '' for a blank line. */
  html: string | null;
  /** The number of open tables, which continue over blank lines as long as only HTML follows. */
  tables: number;
  /** The columns at which the text of the open list items begins. */
  items: number[];
  quoteDepth: number;
  /** True after a line of a paragraph, which the next line may continue whatever its indentation. */
  inParagraph: boolean;
};

/**
 * Creates a reader of the lines of one text, from the first to the last. `readsHtml`: the text may hold blocks of HTML, as files of others do;
 * in our own Markdown a tag is text.
 */
export function createLineScanner({ readsHtml = false }: { readsHtml?: boolean } = {}): LineScanner {
  const state: ScanState = {
    readsHtml,
    fence: null,
    html: null,
    tables: 0,
    items: [],
    quoteDepth: 0,
    inParagraph: false,
  };
  return {
    scan(line, following = '') {
      const start = readLineStart(line);
      const scanned =
        scanFenced(start, state) ?? scanHtml(start, { state, following }) ?? scanBlock(start, state);
      state.inParagraph = scanned.kind === 'text' && scanned.headingLevel === 0 && !scanned.isRule;
      state.quoteDepth = start.quoteDepth;
      return scanned;
    },
  };
}

/** Classifies every line of a text. */
export function classifyLines(lines: readonly string[], options: { readsHtml?: boolean } = {}): LineKind[] {
  const scanner = createLineScanner(options);
  return lines.map((line, at) => scanner.scan(line, lines[at + 1]).kind);
}

const classify = (start: LineStart, kind: LineKind): ScannedLine => {
  const scanned = start as ScannedLine;
  scanned.kind = kind;
  scanned.opens = null;
  return scanned;
};

/**
 * Classifies a line below an open fence; null if there is none. A fence ends with the quote around it, but not with its list item: authors
 * often indent code less than its fence, and what looks like text would then swallow the rest of the page. It is closed at most three columns
 * behind its own, so that a part of it, which is cut out of its item, is closed by the same line.
 */
function scanFenced(start: LineStart, state: ScanState): ScannedLine | null {
  const { fence } = state;
  if (fence === null) return null;
  if (start.quoteDepth < fence.quoteDepth) {
    state.fence = null;
    return null;
  }
  const isClosing =
    start.quoteDepth === fence.quoteDepth &&
    start.marker === '' &&
    start.indent <= fence.column + INDENT_MAX &&
    isClosingFence(start.rest, fence.marks);
  if (isClosing) state.fence = null;
  return classify(start, isClosing ? 'fence' : 'code');
}

/** A longer run of marks is code: a chunk could not hold it. */
const CLOSING_CHARS_MAX = 40;

/** True for a run of the mark of the fence that is at least as long, with nothing behind it. */
function isClosingFence(text: string, marks: string): boolean {
  if (!text.startsWith(marks)) return false;
  const [mark] = marks;
  let end = marks.length;
  while (text[end] === mark) end += 1;
  return end <= CLOSING_CHARS_MAX && text.slice(end).trim() === '';
}

function scanBlock(start: LineStart, state: ScanState): ScannedLine {
  if (start.quoteDepth !== state.quoteDepth) {
    state.items = [];
    state.inParagraph = false;
  }
  if (start.rest === '' && start.marker === '') return classify(start, 'blank');
  closeItems(start, state);
  const inside = start.indent - (state.items.at(-1) ?? 0);
  if (inside > INDENT_MAX && !state.inParagraph) return classify(start, 'indented');
  if (start.marker !== '') openItem(start, state);
  const opens = inside <= INDENT_MAX || state.items.length > 0 ? parseFence(start.rest) : null;
  if (opens !== null) {
    state.fence = {
      marks: opens.marks,
      column: start.indent + start.marker.length,
      quoteDepth: start.quoteDepth,
    };
    const scanned = classify(start, 'fence');
    scanned.opens = opens;
    return scanned;
  }
  if (start.isRule) state.items = [];
  if (state.readsHtml && start.quoteDepth === 0 && state.items.length === 0 && opensHtml(start.rest, state))
    return classify(start, 'html');
  return classify(start, 'text');
}

function openItem({ indent, marker, rest }: LineStart, state: ScanState): void {
  const width = marker.trimEnd().length;
  const gap = countColumns(marker, width, marker.length);
  state.items.push(indent + width + (rest === '' || gap > MARKER_GAP_MAX ? 1 : gap));
}

/** Closes each list item whose text begins further right than the line, unless the line continues a paragraph. */
function closeItems({ indent, marker }: LineStart, state: ScanState): void {
  if (state.inParagraph && indent === 0 && marker === '') return;
  while (state.items.length > 0 && indent < (state.items.at(-1) ?? 0)) state.items.pop();
}

function parseFence(text: string): ScannedLine['opens'] {
  const first = text.charCodeAt(0);
  if (first !== 0x60 && first !== 0x7e) return null;
  const [, ticks, language, tildes, other] = FENCE.exec(text) ?? [];
  const marks = ticks ?? tildes;
  return marks === undefined ? null : { marks, language: language ?? other ?? '' };
}

/** Opens a block of HTML where the text begins one; returns whether it does. */
function opensHtml(text: string, state: ScanState): boolean {
  const raw = RAW_TAG.exec(text)?.[1];
  const end = raw !== undefined ? `</${raw.toLowerCase()}>` : text.startsWith('<!--') ? '-->' : '';
  if (end !== '') {
    state.html = text.toLowerCase().includes(end, 4) ? null : end;
    return true;
  }
  if (!BLOCK_TAG.test(text) && (state.inParagraph || !LONE_TAG.test(text))) return false;
  state.html = '';
  state.tables = countOpenTables(text);
  return true;
}

/** Classifies a line of an open block of HTML; null if there is none. */
function scanHtml(
  start: LineStart,
  { state, following }: { state: ScanState; following: string },
): ScannedLine | null {
  if (state.html === null) return null;
  const text = start.quote + start.marker + start.rest;
  if (state.html !== '') {
    if (text.toLowerCase().includes(state.html)) state.html = null;
    return classify(start, 'html');
  }
  state.tables += countOpenTables(text);
  if (text.trim() !== '') return classify(start, 'html');
  if (state.tables > 0 && /^\s{0,99}</.test(following)) return classify(start, 'html');
  state.html = null;
  state.tables = 0;
  return classify(start, 'blank');
}

const countOpenTables = (line: string): number =>
  (line.match(/<table\b/gi)?.length ?? 0) - (line.match(/<\/table\b/gi)?.length ?? 0);
