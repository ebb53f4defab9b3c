import { isElement, type TreeElement } from '../../tree.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { findBelow, hasClass, keptElements } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';
import { cellsOf, gridOf, rowsOf } from './table-grid.ts';

const CODE_TABLE =
  /(?:^|\s)(?:highlighttable|rouge-table|lntable|codehilitetable|crayon-table|hljs-ln|diff-table)(?=\s|$)/i;
const GUTTER = /(?:^|\s)(?:linenos|gutter|gl|lntd-numbers|crayon-nums|line-numbers|blob-num)(?=\s|$)/i;
const FIELD_LIST = /(?:^|\s)field-list(?=\s|$)/;
/** Contents that no cell of a data table has. */
const LAYOUT_TAGS = /^(?:table|h1|h2|form|article|section|iframe)$/;

/** `table` -> a GFM table, or its cells as blocks when it only lays out the page or the code in it. */
export function table(element: TreeElement, context: WriterContext): void {
  for (const caption of keptElements(element.children).filter(({ tag }) => tag === 'caption'))
    context.blocks(caption.children);
  if (isCodeTable(element)) unwrap(element, context);
  else if (isFieldList(element)) fieldList(element, context);
  else if (isLayout(element)) unwrap(element, context);
  else dataTable(element, context);
}

function isCodeTable(element: TreeElement): boolean {
  return (
    hasClass(element, CODE_TABLE) ||
    findBelow(element, (cell) => cell.tag === 'td' && hasClass(cell, GUTTER)) !== null
  );
}

function isFieldList(element: TreeElement): boolean {
  return hasClass(element, FIELD_LIST);
}

function isLayout(element: TreeElement): boolean {
  const { role } = element.attributes;
  if (role === 'presentation' || role === 'none') return true;
  if (findBelow(element, ({ tag }) => LAYOUT_TAGS.test(tag)) !== null) return true;
  const rows = rowsOf(element).map(({ row }) => cellsOf(row));
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const hasHeader = rows.some((cells) => cells.some(({ tag }) => tag === 'th'));
  if (columns === 1) return !hasHeader;
  if (hasHeader) return false;
  if (rows.length === 1) return true;
  return rows.flat().some(isHeavy);
}

/** A cell with several blocks of running text or code in it. */
function isHeavy(cell: TreeElement): boolean {
  const blocks = keptElements(cell.children).filter(({ tag }) =>
    /^(?:p|ul|ol|pre|blockquote|h[3-6]|dl)$/.test(tag),
  );
  return blocks.length > 3 || blocks.some(({ tag }) => tag === 'pre' || tag === 'h3');
}

function unwrap(element: TreeElement, context: WriterContext): void {
  for (const { row } of rowsOf(element)) {
    for (const cell of cellsOf(row)) if (!hasClass(cell, GUTTER)) context.blocks(cell.children);
  }
}

function fieldList(element: TreeElement, context: WriterContext): void {
  for (const { row } of rowsOf(element)) {
    const [name, ...values] = cellsOf(row);
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

function dataTable(element: TreeElement, context: WriterContext): void {
  const grid = gridOf(element, (cell) => cellText(cell, context));
  const isFilled = (row: string[]): boolean => row.some((text) => text !== '');
  const headers = grid.rows.slice(0, grid.headerRows).filter(isFilled);
  const rows = grid.rows.slice(grid.headerRows).filter(isFilled);
  const [first = []] = rows;
  const borrowed = headers.length === 0 && !startsWithNames(element) && looksLikeHeader(first, rows.slice(1));
  const head = headerOf(borrowed ? [first.map(unbold)] : headers);
  const body = borrowed ? rows.slice(1) : rows;
  const columns = usedColumns([head, ...body]);
  if (columns.length === 0) return;
  const line = (row: string[]): string => rowLine(columns.map((column) => row[column] ?? ''));
  context.writer.block([line(head), rowLine(columns.map(() => '---')), ...body.map(line)]);
}

/** Whether the first row names itself in its first cell, so that it is a row like the others. */
function startsWithNames(element: TreeElement): boolean {
  const [first] = rowsOf(element).map(({ row }) => cellsOf(row).map(({ tag }) => tag));
  return first?.[0] === 'th' && first.includes('td');
}

/**
 * Whether a first row without `th` is a header all the same: all of it is bold, or it has words where the rows below
 * have numbers. Without evidence the header stays empty, since a wrong one would be repeated over every part of the table.
 */
function looksLikeHeader(first: string[], others: string[][]): boolean {
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

/** Columns with something in them; empty ones are spacing. */
function usedColumns(rows: string[][]): number[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: count }, (_, column) => column).filter((column) =>
    rows.some((row) => (row[column] ?? '') !== ''),
  );
}

/** Several header rows as one, since GFM has one: the texts of a column are joined, each once. */
function headerOf(rows: string[][]): string[] {
  const [first = [], ...others] = rows;
  const columns = others.reduce((most, row) => Math.max(most, row.length), first.length);
  return Array.from({ length: columns }, (_, column) =>
    [...new Set(rows.map((row) => row[column] ?? ''))].filter((text) => text !== '').join(' '),
  );
}

function rowLine(cells: string[]): string {
  return `|${cells.map((text) => (text === '' ? ' ' : ` ${text} `)).join('|')}|`;
}

function cellText(cell: TreeElement, context: WriterContext): string {
  return finishLine(context.flat(cell.children), '<br>').replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|');
}
