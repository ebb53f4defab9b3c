import { isDelimiterRow, type LineStart, readLineStart } from './line-start.ts';

/** A heading of a page; `start` and `end` enclose its lines, `text` is cut at `HEADING_CHARS_MAX`. */
export type Heading = { start: number; end: number; level: number; text: string };

/** A block of Markdown as it lies in the page: `markdown.slice(start, end)`, without the line break at its end. */
export type MarkdownBlock = {
  kind: 'heading' | 'text' | 'table' | 'code';
  start: number;
  end: number;
  /** The headings above it, outermost first; a heading's own ends with itself. */
  headings: readonly Heading[];
  /** The list item it belongs to, numbered over the page; 0 outside lists. */
  item: number;
  /** Columns before the marker of that item. */
  itemIndent: number;
  /** The quote marks before its text, such as `> `. */
  quote: string;
  /** The fence lines to put around a part of it; null outside fenced code. */
  fence: { opening: string; closing: string; isClosed: boolean } | null;
};

/**
 * Maximum characters of a heading's text: headings are repeated in paths and for scoring, so a giant line of hash signs must not
 * become one.
 */
const HEADING_CHARS_MAX = 200;

/** Backticks in the language would make it a code span; longer fences or language names are not recognized. */
const FENCE = /^(`{3,20}|~{3,20})(?![`~])[ \t]*(?![ \t])([^\s`]{0,30})[^`]*$/;
const INDENT_MAX = 40;
const CLOSING_CHARS_MAX = 40;

type Line = LineStart & { start: number; end: number };
type OpenFence = { marks: string; quoteDepth: number };
type ParseState = {
  blocks: MarkdownBlock[];
  path: readonly Heading[];
  open: MarkdownBlock | null;
  /** Start of the previous line. */
  lastStart: number;
  lastText: string;
  fence: OpenFence | null;
  item: number;
  itemIndent: number;
  items: number;
};

/**
 * Splits Markdown into blocks in page order, reading every line once. Blank lines, empty quote lines and rules lie between the
 * blocks. The text of a list item and what is indented below it are blocks of the same `item`.
 */
export function parseMarkdownBlocks(markdown: string): MarkdownBlock[] {
  const reading: ParseState = {
    blocks: [],
    path: [],
    open: null,
    lastStart: -1,
    lastText: '',
    fence: null,
    item: 0,
    itemIndent: 0,
    items: 0,
  };
  let line = readLineAt(markdown, 0);
  while (line !== null) {
    const next = readLineAt(markdown, line.end + 1);
    if (!readInFence(reading, line)) readLine(reading, line, next);
    reading.lastStart = line.start;
    reading.lastText = line.rest;
    line = next;
  }
  return reading.blocks;
}

function readLineAt(markdown: string, start: number): Line | null {
  if (start >= markdown.length) return null;
  const found = markdown.indexOf('\n', start);
  const end = found === -1 ? markdown.length : found;
  const isWide = markdown[end - 1] === '\r';
  return { ...readLineStart(markdown.slice(start, isWide ? end - 1 : end)), start, end };
}

/** Consumes a line of the open fence; returns false if the line is not in one. A fence ends with the quote around it. */
function readInFence(reading: ParseState, line: Line): boolean {
  const { fence, open } = reading;
  if (fence === null || open === null) return false;
  if (line.quoteDepth < fence.quoteDepth) {
    reading.fence = null;
    reading.open = null;
    return false;
  }
  open.end = line.end;
  const closing = line.marker === '' ? line.rest.trimEnd() : '';
  if (closing.startsWith(fence.marks) && isRunOf(closing, fence.marks[0] ?? '`')) {
    if (open.fence !== null) open.fence.isClosed = true;
    reading.fence = null;
    reading.open = null;
  }
  return true;
}

/** True when the text is a short run of one mark. */
function isRunOf(text: string, mark: string): boolean {
  return text.length <= CLOSING_CHARS_MAX && text === mark.repeat(text.length);
}

function readLine(reading: ParseState, line: Line, next: Line | null): void {
  const { open } = reading;
  if (isUnderline(reading, line)) {
    readUnderline(reading, line);
    return;
  }
  if (line.rest === '' || line.isRule) {
    reading.open = null;
    if (line.isRule) reading.item = 0;
    return;
  }
  const isAfterGap = open === null || open.quote !== line.quote;
  followList(reading, line, isAfterGap);
  const fence = parseFence(line, reading.item > 0);
  if (line.headingLevel > 0 && line.quoteDepth === 0) readHeading(reading, line);
  else if (fence !== null) openFence(reading, line, fence);
  else {
    const kind = detectKind(reading, line, next);
    if (open !== null && !isAfterGap && open.kind === kind && line.marker === '') open.end = line.end;
    else beginBlock(reading, line, kind);
  }
}

/** A marker begins an item; an unindented line after a gap ends the list. */
function followList(reading: ParseState, line: Line, isAfterGap: boolean): void {
  if (line.marker !== '') {
    reading.items += 1;
    reading.item = reading.items;
    reading.itemIndent = line.indent;
  } else if (isAfterGap && line.indent === 0) {
    reading.item = 0;
  }
}

function beginBlock(
  reading: ParseState,
  { start, end, quote }: Line,
  kind: MarkdownBlock['kind'],
): MarkdownBlock {
  const { path: headings, item, itemIndent } = reading;
  const block: MarkdownBlock = { kind, start, end, headings, item, itemIndent, quote, fence: null };
  reading.blocks.push(block);
  reading.open = block;
  return block;
}

function detectKind({ open, item }: ParseState, line: Line, next: Line | null): 'text' | 'table' | 'code' {
  const isRow = line.marker === '' && line.rest.includes('|');
  if (isRow && open?.kind === 'table') return 'table';
  if (isRow && (line.rest.startsWith('|') || (next !== null && isDelimiterRow(next.rest)))) return 'table';
  // Four spaces make code unless a list or a paragraph claims the line.
  if (line.indent >= 4 && item === 0 && open?.kind !== 'text') return 'code';
  return 'text';
}

function readHeading(reading: ParseState, line: Line): void {
  const marked = line.rest.slice(line.headingLevel).trim();
  enterSection(reading, line, { level: line.headingLevel, text: marked.replace(/(?:^|\s)#+$/, '').trim() });
  beginBlock(reading, line, 'heading');
  reading.open = null;
}

function enterSection(
  reading: ParseState,
  { start, end }: { start: number; end: number },
  { level, text }: { level: number; text: string },
): void {
  reading.item = 0;
  reading.path = [
    ...reading.path.filter((above) => above.level < level),
    { start, end, level, text: text.slice(0, HEADING_CHARS_MAX) },
  ];
}

/** True for a line of `=` or `-` below a single line of text, which makes that line a heading. */
function isUnderline(reading: ParseState, line: Line): boolean {
  const { open } = reading;
  if (open?.kind !== 'text' || open.item > 0 || open.quote !== '' || line.quoteDepth > 0) return false;
  return (
    open.end === line.start - 1 && open.start === reading.lastStart && /^(?:=+|-+)[ \t]*$/.test(line.rest)
  );
}

function readUnderline(reading: ParseState, line: Line): void {
  const { open } = reading;
  if (open === null) return;
  open.kind = 'heading';
  open.end = line.end;
  const level = line.rest.startsWith('=') ? 1 : 2;
  enterSection(reading, open, { level, text: reading.lastText });
  open.headings = reading.path;
  reading.open = null;
}

/** Parses a fence that the line opens: at most three columns in, or anywhere inside a list. */
function parseFence({ rest, indent }: Line, isInList: boolean): { marks: string; language: string } | null {
  if (indent > 3 && !isInList) return null;
  const [, marks = '', language = ''] = FENCE.exec(rest) ?? [];
  return marks === '' ? null : { marks, language };
}

function openFence(
  reading: ParseState,
  line: Line,
  { marks, language }: { marks: string; language: string },
): void {
  const block = beginBlock(reading, line, 'code');
  const before = `${line.quote}${' '.repeat(Math.min(line.indent, INDENT_MAX) + line.marker.length)}`;
  block.fence = { opening: `${before}${marks}${language}`, closing: `${before}${marks}`, isClosed: false };
  reading.fence = { marks, quoteDepth: line.quoteDepth };
}
