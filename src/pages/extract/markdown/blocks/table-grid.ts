import type { TreeElement } from '../../tree.ts';
import { keptElements } from '../tags.ts';

/** A table without spans: every row has every column. */
type Grid = { rows: string[][]; headerRows: number };

/** Bounds on the growth by spans. */
const COLUMNS_MAX = 200;
const SPAN_ROWS_MAX = 2_000;
const CELLS_MAX = 100_000;

/** The rows of a table itself, not of tables inside it. */
export function rowsOf(table: TreeElement): { row: TreeElement; inHead: boolean }[] {
  return keptElements(table.children).flatMap((child) => {
    if (child.tag === 'tr') return [{ row: child, inHead: false }];
    if (!/^(?:thead|tbody|tfoot)$/.test(child.tag)) return [];
    return keptElements(child.children)
      .filter(({ tag }) => tag === 'tr')
      .map((row) => ({ row, inHead: child.tag === 'thead' }));
  });
}

/** The cells of a row. */
export function cellsOf(row: TreeElement): TreeElement[] {
  return keptElements(row.children).filter(({ tag }) => tag === 'td' || tag === 'th');
}

/**
 * Lays cells out on a grid. A cell that spans rows is repeated, since each row must be readable alone; one that spans
 * columns is repeated in header rows only, unless it is the whole row; elsewhere it appears once.
 */
export function gridOf(table: TreeElement, textOf: (cell: TreeElement) => string): Grid {
  const rows = rowsOf(table);
  const headerRows = headerCount(rows);
  const grid: string[][] = [];
  let carried: { text: string; rows: number }[] = [];
  let cells = 0;
  for (const [place, { row }] of rows.entries()) {
    const line: string[] = [];
    const next: { text: string; rows: number }[] = [];
    const fillCarried = (): void => {
      for (
        let above = carried[line.length];
        above !== undefined && above.rows > 0;
        above = carried[line.length]
      ) {
        next[line.length] = { text: above.text, rows: above.rows - 1 };
        line.push(above.text);
      }
    };
    const rowCells = cellsOf(row);
    for (const cell of rowCells) {
      fillCarried();
      const text = textOf(cell);
      const wide = span(cell.attributes.colspan, COLUMNS_MAX - line.length);
      const deep = span(cell.attributes.rowspan, SPAN_ROWS_MAX);
      for (let column = 0; column < wide; column += 1) {
        const shown = column === 0 || (place < headerRows && rowCells.length > 1) ? text : '';
        next[line.length] = { text: shown, rows: deep - 1 };
        line.push(shown);
      }
    }
    fillCarried();
    carried = next;
    cells += line.length;
    if (cells > CELLS_MAX) break;
    grid.push(line);
  }
  return { rows: grid, headerRows: Math.min(headerRows, grid.length) };
}

function headerCount(rows: { row: TreeElement; inHead: boolean }[]): number {
  let count = 0;
  for (const { row, inHead } of rows) {
    const cells = cellsOf(row);
    if (!inHead && !(cells.length > 0 && cells.every(({ tag }) => tag === 'th'))) break;
    count += 1;
  }
  // Rows of th all the way down are a table of names, not a header.
  return count === rows.length ? Math.min(1, count) : count;
}

function span(value: string | undefined, max: number): number {
  const count = value === undefined ? 1 : Number.parseInt(value, 10);
  return Math.max(max < 1 ? 0 : 1, Math.min(Number.isNaN(count) ? 1 : count, max));
}
