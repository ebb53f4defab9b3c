import { createLineScanner, isDelimiterRow, readLineStart, type ScannedLine } from './scan-lines.ts';

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

const INDENT_MAX = 40;

type Line = ScannedLine & { start: number; end: number };
type ParseState = {
  blocks: MarkdownBlock[];
  path: readonly Heading[];
  open: MarkdownBlock | null;
  /** Start of the previous line. */
  lastStart: number;
  lastText: string;
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
    item: 0,
    itemIndent: 0,
    items: 0,
  };
  const scanner = createLineScanner();
  for (let start = 0; start < markdown.length; ) {
    const found = markdown.indexOf('\n', start);
    const end = found === -1 ? markdown.length : found;
    const scanned = scanner.scan(sliceLine(markdown, start, end));
    const line = Object.assign(scanned, { start, end });
    if (line.kind === 'fence' || line.kind === 'code') readFenced(reading, line);
    else readLine(reading, line, () => isDelimiterRow(readRest(markdown, end + 1)));
    reading.lastStart = start;
    reading.lastText = line.rest;
    start = end + 1;
  }
  return reading.blocks;
}

/** Returns a line without its line break. */
function sliceLine(markdown: string, start: number, end: number): string {
  return markdown.slice(start, markdown[end - 1] === '\r' ? end - 1 : end);
}

/** Returns the text of the line at an offset, after its quote marks and list marker. */
function readRest(markdown: string, start: number): string {
  const found = markdown.indexOf('\n', start);
  return readLineStart(sliceLine(markdown, start, found === -1 ? markdown.length : found)).rest;
}

/** Reads a line that opens or closes fenced code, or lies in it. */
function readFenced(reading: ParseState, line: Line): void {
  if (line.opens !== null) {
    followList(reading, line, isAfterGap(reading, line));
    openFence(reading, line, line.opens);
    return;
  }
  const { open } = reading;
  if (open === null) return;
  open.end = line.end;
  if (line.kind !== 'fence') return;
  if (open.fence !== null) open.fence.isClosed = true;
  reading.open = null;
}

const isAfterGap = ({ open }: ParseState, { quote }: Line): boolean => open === null || open.quote !== quote;

function readLine(reading: ParseState, line: Line, isAboveDelimiterRow: () => boolean): void {
  // A quote that ends takes its unclosed code with it.
  if (reading.open?.fence != null) reading.open = null;
  const { open } = reading;
  if (isUnderline(reading, line)) {
    readUnderline(reading, line);
    return;
  }
  if (line.kind === 'blank' || line.rest === '' || line.isRule) {
    reading.open = null;
    if (line.isRule) reading.item = 0;
    return;
  }
  const isBehindGap = isAfterGap(reading, line);
  followList(reading, line, isBehindGap);
  if (line.headingLevel > 0 && line.quoteDepth === 0) readHeading(reading, line);
  else {
    const kind = detectKind(reading, line, isAboveDelimiterRow);
    if (open !== null && !isBehindGap && open.kind === kind && line.marker === '') open.end = line.end;
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

function detectKind(
  { open }: ParseState,
  line: Line,
  isAboveDelimiterRow: () => boolean,
): 'text' | 'table' | 'code' {
  if (line.kind === 'indented') return 'code';
  const isRow = line.marker === '' && line.rest.includes('|');
  if (isRow && (open?.kind === 'table' || line.rest.startsWith('|') || isAboveDelimiterRow())) return 'table';
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

function openFence(
  reading: ParseState,
  line: Line,
  { marks, language }: { marks: string; language: string },
): void {
  const block = beginBlock(reading, line, 'code');
  const before = `${line.quote}${' '.repeat(Math.min(line.indent, INDENT_MAX) + line.marker.length)}`;
  block.fence = { opening: `${before}${marks}${language}`, closing: `${before}${marks}`, isClosed: false };
}
