import { isHeaderCell, listCells, listRows, type TableRow } from '../../table-shape.ts';
import type { TreeElement } from '../../tree.ts';

/** One grid position; `starts` is false where a cell of another row or column extends into it. */
export type GridCell = { text: string; starts: boolean; cell: TreeElement };
/** A table without spans: every row has every column. */
export type Grid = { rows: { cells: GridCell[]; isHeader: boolean; row: TreeElement }[] };

/** Bounds on growth through spans. */
const COLUMNS_MAX = 200;
const SPAN_ROWS_MAX = 2_000;
const CELLS_MAX = 100_000;
/** Maximum length of a text repeated in each column it spans; longer ones are written once, in the first. */
const REPEATED_CHARS_MAX = 200;

type SpanningCell = { cell: GridCell; rows: number };

/**
 * Lays cells out on a grid. A cell that spans rows or columns is repeated in each, since it applies to each and every row
 * must be readable alone; one that fills the whole row is written in its first column only.
 */
export function buildGrid(table: TreeElement, textOf: (cell: TreeElement) => string): Grid {
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
  let count = 0;
  let columns = 0;
  for (const { row, inHead } of rows) {
    const cells = listCells(row);
    // A single name below the column names is that of a section.
    if (hasHead ? !inHead : !isHeaderRow(cells) || (columns > 1 && cells.length === 1)) break;
    columns = cells.length;
    count += 1;
  }
  // If every row is made of th, the table holds names, not headers.
  return count === rows.length ? Math.min(1, count) : count;
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
