import { detectTableKind, isGutter, isHeaderCell, isTable, listCells, listRows } from '../../table-shape.ts';
import { isElement, type TreeElement } from '../../tree.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { filterKeptElements, findBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { readCode, writeFence } from './code-block.ts';
import { detectCodeLanguage } from './code-language.ts';
import { buildGrid, type Grid, type GridCell } from './table-grid.ts';
import { readIconText } from './table-icon.ts';

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

/** Lists the columns in which a cell begins; the others only exist through spans. */
function listUsedColumns({ rows }: Grid): number[] {
  const count = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const used = new Uint8Array(count);
  for (const { cells } of rows)
    for (const [column, { starts }] of cells.entries()) if (starts) used[column] = 1;
  return [...used.keys()].filter((column) => used[column] === 1);
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
