import type { Line } from './page-lines.ts';

/** Maximum share of lines that go back up the page without a new column; with more, the drawing order is ignored. */
const DISORDER_MAX = 0.1;
/** Pages with fewer lines than this keep their drawing order. */
const LINES_MIN = 6;
/** Minimum width of a gap between columns, in points. */
const GUTTER_MIN = 8;
const DEPTH_MAX = 12;

/**
 * Returns the lines of a page in reading order: as drawn, which is how almost every program writes them, or, where the drawing order
 * jumps about, by cutting the page along its white space: across first, else into columns (a recursive X-Y cut).
 */
export function sortByReadingOrder(lines: Line[]): Line[] {
  return lines.length >= LINES_MIN && measureDisorder(lines) > DISORDER_MAX ? cutPage(lines, 0) : lines;
}

/** Returns the share of steps from a line to the next that a reader would not take. */
function measureDisorder(lines: Line[]): number {
  let wrong = 0;
  let crossings = 0;
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before === undefined) continue;
    const isAbove = line.y > before.y + 0.5 * before.size;
    if (isAbove && line.x0 < before.x1 && before.x0 < line.x1) wrong += 1;
    if (isProse(before) && isProse(line) && isBeside(before, line)) crossings += 1;
  }
  // Two columns are read across: every second step crosses the gutter.
  return crossings > lines.length / 4 ? 1 : wrong / (lines.length - 1);
}

const isProse = ({ text }: Line): boolean => text.length > 25;
const isBeside = (left: Line, right: Line): boolean =>
  Math.abs(left.y - right.y) < 0.3 * left.size && right.x0 - left.x1 > GUTTER_MIN;

function cutPage(lines: Line[], depth: number): Line[] {
  if (lines.length < 2 || depth > DEPTH_MAX) return sortByHeight(lines);
  const columns = splitByGaps(lines, ({ x0, x1 }) => [x0, x1], GUTTER_MIN);
  if (columns.length > 1 && columns.every((column) => column.length > 2))
    return columns.flatMap((column) => cutPage(column, depth + 1));
  const size = lines.reduce((most, line) => Math.max(most, line.size), 0);
  const rows = splitByGaps(lines, (line) => [-line.y - line.size, -line.y], 0.7 * size);
  if (rows.length > 1) return rows.flatMap((row) => cutPage(row, depth + 1));
  return sortByHeight(lines);
}

/** Splits lines into groups with white space of at least `gap` between them along one axis. */
function splitByGaps(
  lines: Line[],
  extent: (line: Line) => [from: number, to: number],
  gap: number,
): Line[][] {
  const sorted = lines
    .map((line) => ({ line, extent: extent(line) }))
    .sort((a, b) => a.extent[0] - b.extent[0]);
  const groups: Line[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const {
    line,
    extent: [from, to],
  } of sorted) {
    if (from - end >= gap) groups.push([]);
    groups.at(-1)?.push(line);
    end = Math.max(end, to);
  }
  return groups;
}

/** Sorts from top to bottom, and lines of one height from left to right. */
function sortByHeight(lines: Line[]): Line[] {
  const sorted = [...lines].sort((a, b) => b.y - a.y);
  const rows: Line[][] = [];
  for (const line of sorted) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && row[0].y - line.y < 0.4 * line.size) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.x0 - b.x0));
}
