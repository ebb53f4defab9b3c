import type { Typography } from './headings.ts';
import type { Line, PdfTable } from './page-lines.ts';

/** A block of a document; `lines` are joined to its text. `x` is where the marker of an item stands. */
export type PdfBlock =
  | { kind: 'page'; page: number }
  | { kind: 'heading'; level: number; lines: Line[] }
  | { kind: 'paragraph'; lines: Line[] }
  | { kind: 'item'; ordinal: string | null; x: number; lines: Line[] }
  | { kind: 'code'; lines: Line[] }
  | { kind: 'table'; table: PdfTable };

/** A paragraph ends at a gap this many times larger than usual, or at an indent of this many font sizes. */
const LARGER_GAP = 1.2;
const INDENT = 0.8;
const SENTENCES_CHARS = 80;

const BULLET = /^\s*([•◦▪▫‣●○■□◆◇➢➤✓✔⁃∙·\uf0b7\uf0a7\uf0d8]|[–—*o-](?=\s))\s*/u;
const ORDINAL = /^\s*\(?(\d{1,3}|[a-z]|[ivxl]{1,5})[.)](?:\s+|$)/;

/** Builds headings, paragraphs, list items, listings and tables from lines in reading order. */
export function buildBlocks(lines: Line[], facts: Typography): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  let page = lines[0]?.page ?? 1;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.page !== page) {
      page = line.page;
      const open = blocks.at(-1);
      // A paragraph that continues on the next page is finished before the page mark.
      if (open?.kind === 'paragraph' && canContinueParagraph(open.lines, line, facts)) {
        open.lines.push(line);
        at = addContinuation(open.lines, lines, at + 1, facts);
        blocks.push({ kind: 'page', page });
        continue;
      }
      if (open?.kind === 'table' && line.table !== null && continuesTable(open.table, line.table)) {
        appendTable(open.table, line.table);
        blocks.push({ kind: 'page', page });
        at += 1;
        continue;
      }
      blocks.push({ kind: 'page', page });
    }
    if (line.table !== null) {
      blocks.push({ kind: 'table', table: line.table });
      at += 1;
      continue;
    }
    at = addBlock(blocks, lines, at, facts);
  }
  return blocks;
}

/** Tables of two pages whose edges are nearer than this many points may be one. */
const SAME_EDGE = 4;

/** Checks for the rest of a table at the top of the next page: as wide, with as many columns, and without a head of its own. */
function continuesTable(above: PdfTable, below: PdfTable): boolean {
  const readHead = ({ cells }: PdfTable): string =>
    cells.flatMap(({ row, lines }) => (row === 0 ? lines.map(({ text }) => text) : [])).join(' ');
  const isBold = below.cells.every(({ row, lines }) => row > 0 || lines.every(({ bold }) => bold));
  return (
    above.columns === below.columns &&
    Math.abs(above.area.x0 - below.area.x0) < SAME_EDGE &&
    Math.abs(above.area.x1 - below.area.x1) < SAME_EDGE &&
    !isBold &&
    readHead(above) !== readHead(below)
  );
}

function appendTable(above: PdfTable, below: PdfTable): void {
  for (const cell of below.cells)
    above.cells.push({ ...cell, row: cell.row + above.rows, lastRow: cell.lastRow + above.rows });
  above.rows += below.rows;
}

/** Adds the block that begins with a line; returns the index of the line after it. */
function addBlock(blocks: PdfBlock[], lines: Line[], at: number, facts: Typography): number {
  const line = lines[at];
  if (line === undefined) return lines.length;
  const marker = parseListMarker(line);
  const isBullet = marker !== null && marker.ordinal === null;
  const level = isBullet ? 0 : resolveLevel(lines, at, facts);
  if (level > 0) {
    const heading = collectHeading(lines, at, { level, facts });
    if (!isSentences(heading)) {
      blocks.push({ kind: 'heading', level, lines: heading });
      return at + heading.length;
    }
  }
  if (line.mono) {
    const block: PdfBlock = { kind: 'code', lines: [line] };
    blocks.push(block);
    let end = at + 1;
    for (
      let next = lines[end];
      next?.mono && next.page === line.page && next.table === null;
      next = lines[end]
    ) {
      block.lines.push(next);
      end += 1;
    }
    return end;
  }
  if (marker !== null) {
    // A marker drawn far from its text is a separate line.
    const next = lines[at + 1];
    const isApart = marker.rest === '' && next !== undefined && Math.abs(next.y - line.y) < 0.5 * line.size;
    const block: PdfBlock = {
      kind: 'item',
      ordinal: marker.ordinal,
      x: line.x0,
      lines: isApart ? [next] : [stripMarker(line, marker.chars)],
    };
    blocks.push(block);
    return addContinuation(block.lines, lines, isApart ? at + 2 : at + 1, facts);
  }
  const block: PdfBlock = { kind: 'paragraph', lines: [line] };
  blocks.push(block);
  return addContinuation(block.lines, lines, at + 1, facts);
}

function resolveLevel(lines: Line[], at: number, facts: Typography): number {
  const line = lines[at];
  const textAt = (place: number): Line | null =>
    lines[place]?.table === null ? (lines[place] ?? null) : null;
  return line === undefined ? 0 : facts.levelOf(line, { before: textAt(at - 1), after: textAt(at + 1) });
}

/** Returns the lines of the heading that begins at an index. */
function collectHeading(
  lines: Line[],
  at: number,
  { level, facts }: { level: number; facts: Typography },
): Line[] {
  const heading = lines.slice(at, at + 1);
  for (let end = at + 1; ; end += 1) {
    const next = lines[end];
    if (next === undefined || !isSameHeading(heading, next, resolveLevel(lines, end, facts) === level, facts))
      return heading;
    heading.push(next);
  }
}

/** Checks for running text in larger type, which is no heading. */
function isSentences(heading: Line[]): boolean {
  const text = heading.map((line) => line.text).join(' ');
  return text.length > SENTENCES_CHARS && /[.!?]["”’)]?$/.test(text);
}

function isSameHeading(open: Line[], next: Line, isHeading: boolean, facts: Typography): boolean {
  const last = open.at(-1);
  if (last === undefined || open.length > 6 || next.page !== last.page) return false;
  const gap = last.y - next.y;
  const isNear = gap > 0 && gap < LARGER_GAP * Math.max(facts.leading, 1.15) * last.size;
  return (
    isNear &&
    (isHeading || next.bold === last.bold) &&
    Math.abs(next.size - last.size) < 0.05 * last.size &&
    next.size !== facts.body
  );
}

/** Adds the following lines of the same paragraph or item. */
function addContinuation(open: Line[], lines: Line[], from: number, facts: Typography): number {
  let at = from;
  for (let next = lines[at]; next !== undefined; next = lines[at]) {
    const isNewPage = next.page !== open.at(-1)?.page;
    if (isNewPage || !canContinueParagraph(open, next, facts)) break;
    if (resolveLevel(lines, at, facts) > 0 && !isSentences(open) && !isSameType(open, next)) break;
    open.push(next);
    at += 1;
  }
  return at;
}

/** Checks that a line is set like the text before it, as the second line of a caption or of an item in larger type is. */
const isSameType = (open: Line[], { size, bold }: Line): boolean => {
  const last = open.at(-1);
  return last !== undefined && last.bold === bold && Math.abs(last.size - size) < 0.05 * size;
};

/**
 * Checks whether a line continues a paragraph: same type, no larger gap, no indent. On another page or in another column, its first
 * letter decides.
 */
function canContinueParagraph(open: Line[], next: Line, facts: Typography): boolean {
  const last = open.at(-1);
  const first = open[0];
  if (last === undefined || first === undefined || next.mono || parseListMarker(next) !== null) return false;
  if (next.table !== null) return false;
  if (Math.abs(next.size - last.size) > 0.08 * last.size) return false;
  const gap = last.y - next.y;
  if (next.page !== last.page || gap < -0.5 * last.size)
    return !/[.!?:]["”’)]?$/.test(last.text) && /^[\p{Ll}(\d]/u.test(next.text);
  // Pieces of one line, such as those around a formula.
  if (Math.abs(gap) <= 0.5 * last.size) return next.x0 > last.x0;
  if (gap > LARGER_GAP * facts.leading * last.size) return false;
  const indent = next.x0 - last.x0;
  if (indent > INDENT * last.size)
    return open.length === 1
      ? next.x0 - first.x0 < 4 * last.size && last.x1 > next.x0 + 20 * last.size
      : last.y === next.y;
  return indent > -INDENT * last.size || open.length === 1;
}

/** Strips the first characters of a line. */
function stripMarker(line: Line, chars: number): Line {
  let left = chars;
  const runs = line.runs.flatMap((run) => {
    const text = run.text.slice(left);
    const x0 = run.spaces.findLast((space) => space.at < left)?.x1 ?? run.x0;
    left = Math.max(0, left - run.text.length);
    return text.trim() === '' ? [] : [{ ...run, text, x0 }];
  });
  const x0 = runs[0]?.x0 ?? line.x0;
  return { ...line, runs, x0: Math.max(x0, line.x0), text: line.text.slice(chars).trim() };
}

/** Parses the marker at the start of a line: its characters, its number or letter, and the text after it; null when there is none. */
function parseListMarker({ runs }: Line): { chars: number; ordinal: string | null; rest: string } | null {
  const text = runs.map((run) => run.text).join('');
  const bullet = BULLET.exec(text);
  if (bullet !== null)
    return { chars: bullet[0].length, ordinal: null, rest: text.slice(bullet[0].length).trim() };
  const ordinal = ORDINAL.exec(text);
  if (ordinal?.[1] === undefined) return null;
  return { chars: ordinal[0].length, ordinal: ordinal[1], rest: text.slice(ordinal[0].length).trim() };
}
