import type { Line } from './page-lines.ts';

const ROWS_MIN = 3;
const ROWS_MAX = 500;
const CELLS_MAX = 30;
/** Cells of a column begin, end or are centred within this many points of each other. */
const ALIGNED = 2.5;

/**
 * Finds the table that begins with a line: at least three rows with the same number of cells, every cell of a column aligned with the one
 * above. Anything less certain stays text.
 */
export function findTable(lines: Line[], at: number): { rows: Line[][]; end: number } | null {
  const first = collectRow(lines, at);
  if (first.length < 2 || first.length > CELLS_MAX) return null;
  const rows = [first];
  let end = at + first.length;
  while (rows.length < ROWS_MAX) {
    const above = rows.at(-1) ?? first;
    const row = collectRow(lines, end);
    if (row.length !== first.length || !isBelow(above, row) || !isAligned(above, row)) break;
    rows.push(row);
    end += row.length;
  }
  return rows.length >= ROWS_MIN ? { rows, end } : null;
}

/** Collects the lines at one height from an index on, each to the right of the one before. */
function collectRow(lines: Line[], at: number): Line[] {
  const row: Line[] = [];
  for (let line = lines[at]; line !== undefined && row.length <= CELLS_MAX; line = lines[at + row.length]) {
    const last = row.at(-1);
    if (
      last !== undefined &&
      (Math.abs(last.y - line.y) > 0.2 * line.size || line.x0 < last.x1 || line.page !== last.page)
    )
      break;
    row.push(line);
  }
  return row;
}

function isBelow(above: Line[], row: Line[]): boolean {
  const [upper, lower] = [above[0], row[0]];
  if (upper === undefined || lower === undefined || upper.page !== lower.page) return false;
  const gap = upper.y - lower.y;
  return gap > 0 && gap < 4 * lower.size;
}

function isAligned(above: Line[], row: Line[]): boolean {
  return row.every((cell, column) => {
    const over = above[column];
    if (over === undefined) return false;
    const differences = [cell.x0 - over.x0, cell.x1 - over.x1, (cell.x0 + cell.x1 - over.x0 - over.x1) / 2];
    return differences.some((difference) => Math.abs(difference) < ALIGNED);
  });
}
