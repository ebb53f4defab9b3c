import {
  detectTableKind,
  isElement,
  isGutter,
  isHeaderCell,
  isTable,
  listCells,
  listRows,
  type TableRow,
  type TreeElement,
} from '../../table-shape.ts';
import { escapeMarkdown, finishLine } from '../inline/finish-inline.ts';
import { filterKeptElements, findBelow, isSilent } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { readCode, writeFence } from './code-block.ts';
import { detectCodeLanguage } from './code-language.ts';

/** Bounds on growth through spans. */
const COLUMNS_MAX = 200;
const SPAN_ROWS_MAX = 2_000;
const CELLS_MAX = 100_000;
/** Maximum length of a text repeated in each column it spans; longer ones are written once, in the first. */
const REPEATED_CHARS_MAX = 200;

/** Classes of icon fonts for the yes and no signs of feature tables. */
const YES = /(?:^|[\s_-])(?:check|checked|checkmark|check-circle|tick|yes|ok|success|included)(?=[\s_-]|$)/i;
const NO =
  /(?:^|[\s_-])(?:times|xmark|x-mark|cross|close|no|ban|remove|not-included|excluded|minus)(?=[\s_-]|$)/i;
const ICON_WORD = /^(?:fa[srlb]?|bi|ti|mdi|glyphicon|dashicons)(?:-|$)|icon/i;
const isControl = (element: TreeElement): boolean =>
  isSilent(element) && element.attributes['aria-hidden'] !== 'true';

/** Writes `table` or an ARIA grid as a GFM table, or its cells as blocks when it is only layout or holds code. */
export function writeTable(element: TreeElement, context: WriterContext): void {
  for (const caption of filterKeptElements(element.children).filter(({ tag }) => tag === 'caption'))
    context.blocks(caption.children);
  const kind = detectTableKind(element);
  if (kind === 'data') writeDataTable(element, context);
  else if (kind === 'fields') writeFieldList(element, context);
  else if (kind === 'code' && findBelow(element, ({ tag }) => tag === 'pre') === null)
    writeCodeTable(element, context);
  else writeCells(element, context);
}

/** Writes code with one line per row, beside its number. */
function writeCodeTable(element: TreeElement, context: WriterContext): void {
  const lines: string[] = [];
  for (const { row } of listRows(element)) {
    for (const cell of filterKeptElements(listCells(row)))
      if (!isGutter(cell)) lines.push(readCode(cell).replace(/\n$/, ''));
  }
  const code = lines.join('\n').trimEnd();
  if (code.trim() !== '') writeFence(code, detectCodeLanguage(element), context);
}

function writeCells(element: TreeElement, context: WriterContext): void {
  for (const { row } of listRows(element)) {
    for (const cell of filterKeptElements(listCells(row))) if (!isGutter(cell)) context.blocks(cell.children);
  }
}

function writeFieldList(element: TreeElement, context: WriterContext): void {
  for (const { row } of listRows(element)) {
    const [name, ...values] = filterKeptElements(listCells(row));
    if (name === undefined) continue;
    context.writer.enter('- ', '  ');
    const label = finishLine(context.inline(name.children), ' ').replace(/:$/, '');
    const simple = values.every(
      (value) => !value.children.some((node) => isElement(node) && context.blocky.has(node)),
    );
    const text = simple ? finishLine(context.flat(values.flatMap(({ children }) => children)), ' ') : '';
    if (label !== '') context.writer.block([text === '' ? `**${label}**` : `**${label}**: ${text}`]);
    if (!simple) for (const value of values) context.blocks(value.children);
    context.writer.leave();
    context.writer.closeUp();
  }
  context.writer.setOff();
}

/** Writes a data table. Every cell of a kept row keeps its column: dropping one would shift the cells after it to other columns. */
function writeDataTable(element: TreeElement, context: WriterContext): void {
  const inside = findNestedTables(element);
  for (const each of inside) context.writtenLater.add(each);
  const grid = buildGrid(element, (cell) => renderCell(cell, context));
  const rows = grid.rows.filter(({ row, cells }) => row.kept && cells.some(({ text }) => text !== ''));
  const { titles, head, body } = splitTable(rows, element);
  for (const title of titles) context.writer.block([title]);
  const columns = listUsedColumns(grid);
  if (columns.length > 0 && (head.length > 0 || body.length > 0)) {
    const formatColumns = (row: string[]): string => formatRow(columns.map((column) => row[column] ?? ''));
    const signs = columns.map((column) => chooseAlignmentSign(rows, column));
    context.writer.block([formatColumns(head), formatRow(signs), ...body.map(formatColumns)]);
  }
  for (const each of inside) context.writtenLater.delete(each);
  context.blocks(inside);
}

type GridRows = Grid['rows'];

/** Splits rows into the lines above the table, its single header, and its body. */
function splitTable(
  rows: GridRows,
  table: TreeElement,
): { titles: string[]; head: string[]; body: string[][] } {
  const headers = rows.filter(({ isHeader }) => isHeader);
  const texts = rows.filter(({ isHeader }) => !isHeader).map(({ cells }) => cells.map(({ text }) => text));
  // A header of one cell across all columns names the table, not a column.
  const titled = headers.filter(({ cells }) => cells.length > 1 && isOneCell(cells));
  const named = headers
    .filter((row) => !titled.includes(row))
    .map(({ cells }) => cells.map(({ text }) => text));
  const titles = titled.map(({ cells }) => cells[0]?.text ?? '');
  const [first = [], ...others] = texts;
  const borrowed = named.length === 0 && !startsWithNames(table) && isLikelyHeader(first, others);
  return borrowed
    ? { titles, head: first.map(unbold), body: others }
    : { titles, head: mergeHeaderRows(named), body: texts };
}

const isOneCell = (cells: GridCell[]): boolean => cells.every(({ cell }) => cell === cells[0]?.cell);

/** Finds data tables nested in cells; Markdown cells cannot hold them, so they are written below. */
function findNestedTables(table: TreeElement): TreeElement[] {
  const found: TreeElement[] = [];
  const search = (element: TreeElement): void => {
    for (const child of filterKeptElements(element.children)) {
      if (!isTable(child)) search(child);
      else if (detectTableKind(child) === 'data' && listRows(child).length > 1) found.push(child);
    }
  };
  search(table);
  return found;
}

/** Returns whether the first row is named by its first cell, so that it is a row like the others. */
function startsWithNames(table: TreeElement): boolean {
  const [first] = listRows(table);
  const [name, ...others] = first === undefined ? [] : listCells(first.row);
  return name !== undefined && isHeaderCell(name) && !others.every(isHeaderCell);
}

/**
 * Returns whether a first row without `th` is a header nevertheless: all of it is bold, or it has words where the rows below
 * have numbers. Without evidence the header stays empty, since a wrong one would be repeated above every part of the table.
 */
function isLikelyHeader(first: string[], others: string[][]): boolean {
  const named = first.filter((text) => text !== '');
  if (others.length === 0 || named.length < 2) return false;
  if (named.every((text) => BOLD.test(text))) return true;
  if (named.length < first.length || named.some((text) => /\d/.test(text))) return false;
  return first.some(
    (_, column) => others.filter((row) => /^\W*\d/.test(row[column] ?? '')).length > others.length / 2,
  );
}
const BOLD = /^\*\*((?:(?!\*\*).)+)\*\*$/;
const unbold = (text: string): string => text.replace(BOLD, '$1');

/**
 * Lists the columns in which a cell begins and something stands; the others only exist through spans, or show a color. A column whose
 * cells are all empty stays if its header names it alone.
 */
function listUsedColumns({ rows }: Grid): number[] {
  const count = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const begins = new Uint8Array(count);
  const filled = new Uint8Array(count);
  const named = new Uint8Array(count);
  for (const { cells, isHeader } of rows) {
    for (const [column, { cell, text, starts }] of cells.entries()) {
      if (starts) begins[column] = 1;
      if (text === '') continue;
      if (!isHeader) filled[column] = 1;
      else if (cells[column - 1]?.cell !== cell && cells[column + 1]?.cell !== cell) named[column] = 1;
    }
  }
  const hasBody = filled.includes(1);
  return [...begins.keys()].filter(
    (column) => begins[column] === 1 && (!hasBody || filled[column] === 1 || named[column] === 1),
  );
}

/** Merges header rows into one, since GFM allows one: the texts of a column are joined, each once. */
function mergeHeaderRows(rows: string[][]): string[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: columns }, (_, column) =>
    [...new Set(rows.map((row) => row[column] ?? ''))].filter((text) => text !== '').join(' '),
  );
}

const SIGNS: Record<string, string> = { center: ':---:', right: '---:', end: '---:' };
const ALIGNED = /(?:^|\s)(?:text|align|has-text-align)-?(center|right|end)(?=\s|$)/i;

/** Chooses the alignment of most cells of a column. */
function chooseAlignmentSign(rows: GridRows, column: number): string {
  const counts = new Map<string, number>();
  let filled = 0;
  for (const { cells, isHeader } of rows) {
    const place = cells[column];
    if (isHeader || place === undefined || place.text === '') continue;
    filled += 1;
    const sign = SIGNS[readAlignment(place.cell)] ?? '';
    counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  for (const [sign, count] of counts) if (sign !== '' && count * 2 > filled) return sign;
  return '---';
}

function readAlignment({ attributes: { align, style, class: classes } }: TreeElement): string {
  const styled = /(?:^|;)\s*text-align\s*:\s*(\w+)/i.exec(style ?? '')?.[1];
  return (styled ?? align ?? ALIGNED.exec(classes ?? '')?.[1] ?? '').toLowerCase();
}

function formatRow(cells: string[]): string {
  return `|${cells.map((text) => (text === '' ? ' ' : ` ${text} `)).join('|')}|`;
}

function renderCell(cell: TreeElement, context: WriterContext): string {
  const text = finishLine(context.flat(cell.children), '<br>');
  return (text === '' ? readIconText(cell) : text).replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|');
}

/** Reads the icon of a cell without text: its accessible name, else a sign for the icon, else ''. */
function readIconText(cell: TreeElement): string {
  const waiting: TreeElement[] = [cell];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const name = findAccessibleName(next) ?? findIconSign(next);
    if (name !== null) return escapeMarkdown(name);
    for (let at = next.children.length - 1; at >= 0; at -= 1) {
      const child = next.children[at];
      if (child !== undefined && isElement(child) && (child.tag === 'svg' || !isControl(child)))
        waiting.push(child);
    }
  }
  return '';
}

function findAccessibleName({ tag, attributes, children }: TreeElement): string | null {
  const names = [attributes['aria-label'], attributes.alt, attributes.title, attributes['data-label-value']];
  const name = names.find((each) => each !== undefined && each.trim() !== '');
  if (name !== undefined) return name;
  if (tag !== 'svg') return null;
  for (const child of children) {
    if (!isElement(child) || child.tag !== 'title') continue;
    const [text] = child.children;
    if (text !== undefined && !isElement(text) && text.text.trim() !== '') return text.text;
  }
  return null;
}

function findIconSign({ tag, attributes }: TreeElement): string | null {
  if (tag === 'input')
    return attributes.type === 'checkbox' ? (attributes.checked === undefined ? '☐' : '☑') : null;
  const classes = attributes.class ?? '';
  if (tag === 'use' && YES.test(readIconName(attributes))) return '✔';
  if (tag === 'use' && NO.test(readIconName(attributes))) return '✘';
  if (!(tag === 'svg' || tag === 'i' || classes.split(' ').some((word) => ICON_WORD.test(word)))) return null;
  if (YES.test(classes)) return '✔';
  return NO.test(classes) ? '✘' : null;
}

/** Reads the name after `#` of the symbol that an SVG takes from a sprite sheet. */
function readIconName({ href, 'xlink:href': linked }: Record<string, string>): string {
  return (href ?? linked ?? '').split('#')[1] ?? '';
}

/** One grid position; `starts` is false where a cell of another row or column extends into it. */
type GridCell = { text: string; starts: boolean; cell: TreeElement };

/** A table without spans: every row has every column. */
type Grid = { rows: { cells: GridCell[]; isHeader: boolean; row: TreeElement }[] };

type SpanningCell = { cell: GridCell; rows: number };

/**
 * Lays cells out on a grid. A cell that spans rows or columns is repeated in each, since it applies to each and every row
 * must be readable alone; one that fills the whole row is written in its first column only.
 */
function buildGrid(table: TreeElement, textOf: (cell: TreeElement) => string): Grid {
  const rows = listRows(table);
  const headerRows = countHeaderRows(rows);
  const grid: Grid = { rows: [] };
  let carried: SpanningCell[] = [];
  let group: TreeElement | null = null;
  let cells = 0;
  for (const [place, { row }] of rows.entries()) {
    // A cell spans only rows of its own group.
    if (row.parent !== group) carried = [];
    group = row.parent;
    const laid = layRow(listCells(row), carried, textOf);
    carried = laid.next;
    cells += laid.line.length;
    if (cells > CELLS_MAX) break;
    grid.rows.push({ cells: laid.line, isHeader: place < headerRows, row });
  }
  return grid;
}

function layRow(
  cells: TreeElement[],
  carried: SpanningCell[],
  textOf: (cell: TreeElement) => string,
): { line: GridCell[]; next: SpanningCell[] } {
  const line: GridCell[] = [];
  const next: SpanningCell[] = [];
  const fillCarried = (): void => {
    for (
      let above = carried[line.length];
      above !== undefined && above.rows > 0;
      above = carried[line.length]
    ) {
      next[line.length] = { cell: above.cell, rows: above.rows - 1 };
      line.push({ ...above.cell, starts: false });
    }
  };
  for (const cell of cells) {
    fillCarried();
    if (line.length >= COLUMNS_MAX) break;
    const text = textOf(cell);
    const wide = parseSpan(
      cell.attributes.colspan ?? cell.attributes['aria-colspan'],
      COLUMNS_MAX - line.length,
    );
    const deep = parseSpan(cell.attributes.rowspan ?? cell.attributes['aria-rowspan'], SPAN_ROWS_MAX);
    const repeated = cells.length > 1 && text.length <= REPEATED_CHARS_MAX;
    for (let column = 0; column < wide; column += 1) {
      const place = { text: column === 0 || repeated ? text : '', starts: column === 0, cell };
      next[line.length] = { cell: place, rows: deep - 1 };
      line.push(place);
    }
  }
  fillCarried();
  return { line, next };
}

function countHeaderRows(rows: TableRow[]): number {
  const hasHead = rows[0]?.inHead === true;
  const titles = hasHead ? 0 : countTitleRows(rows);
  let count = titles;
  let columns = 0;
  for (const { row, inHead } of rows.slice(titles)) {
    const cells = listCells(row);
    // A single name below the column names is that of a section.
    if (hasHead ? !inHead : !isHeaderRow(cells) || (columns > 1 && cells.length === 1)) break;
    columns = cells.length;
    count += 1;
  }
  if (count === titles) return 0;
  // If every row is made of th, the table holds names, not headers.
  return count === rows.length ? Math.min(1, count) : count;
}

/** Counts the rows of one wide cell above the header: they hold the name of the table or its picture. */
function countTitleRows(rows: readonly TableRow[]): number {
  const first = rows.findIndex(({ row }) => {
    const [only, ...others] = listCells(row);
    return (
      others.length > 0 ||
      only === undefined ||
      isHeaderCell(only) ||
      parseSpan(only.attributes.colspan, COLUMNS_MAX) < 2
    );
  });
  const header = rows[first];
  return first > 0 && header !== undefined && isHeaderRow(listCells(header.row)) ? first : 0;
}

/** Returns whether a row is made of header cells; the corner above the row names is often an empty `td`. */
function isHeaderRow(cells: TreeElement[]): boolean {
  const [corner, ...others] = cells;
  if (corner === undefined) return false;
  if (isHeaderCell(corner)) return others.every(isHeaderCell);
  return others.length > 0 && corner.children.length === 0 && others.every(isHeaderCell);
}

/** Parses a span; 0 means to the end of the row group. */
function parseSpan(value: string | undefined, max: number): number {
  const count = value === undefined ? 1 : Number.parseInt(value, 10);
  if (count === 0) return max;
  return Math.max(1, Math.min(Number.isNaN(count) ? 1 : count, max));
}
