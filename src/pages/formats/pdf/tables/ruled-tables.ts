import type { Run } from '../glyphs.ts';
import type { Area, PdfCell, PdfTable } from '../page-lines.ts';
import type { Ruling, Rulings } from './rulings.ts';
import { buildCellLines, findGutters, groupRows, isListSign, isNumeric, splitSegments } from './word-rows.ts';

/** Lines that end this near to another meet it; edges within this distance are one. */
const TOUCH = 4;
const EDGE_MIN = 5;
/** A border counts where a line covers this share of it. */
const COVERED_MIN = 0.6;
const GRID_CELLS_MAX = 20_000;
/** Grids with a smaller share of cells with text are drawings, such as the axes of charts. */
const FILLED_MIN = 0.25;
/** Minimum share of cells that span nothing, and of the height that rows with text take. */
const SINGLE_MIN = 0.4;
const DENSE_MIN = 0.5;
/** Rows higher than this many times their text are panels of a drawing. */
const ROOM_MAX = 5;
/** Maximum share of cells that hold texts far apart. */
const APART_MAX = 0.12;
/** Columns narrower than this many font sizes have no room for text. */
const NARROW = 1.5;
/** A cell of fewer rows is not split where a line is missing: its text may be centred beside them. */
const SPANNED_ROWS_MIN = 4;
/** Minimum rows of two texts each that a column without a line between them needs to be split. */
const PAIRS_MIN = 4;
/** Minimum lines of a list of rows without numbers, and the share of a cell's width in which those of its first column end. */
const LIST_LINES_MIN = 3;
const NARROW_LINES = 0.6;

/** A table with text that belongs above or below it: the title and the notes inside its frame. */
export type FramedTable = { table: PdfTable; above: Run[][]; below: Run[][]; used: Set<Run> };

/** Finds the tables whose cells are drawn with lines, and the areas of other drawings made of such lines, such as charts. */
export function findRuledTables(
  words: Run[],
  rulings: Rulings,
  page: number,
): { tables: FramedTable[]; drawings: Area[] } {
  const tables: FramedTable[] = [];
  const drawings: Area[] = [];
  const used = new Set<Run>();
  // A table inside a larger frame comes before the frame.
  for (const frame of groupFrames(rulings).sort((a, b) => measureExtent(a) - measureExtent(b))) {
    const inside = words.filter((word) => isInside(word, frame.area) && !used.has(word));
    const table = inside.length < 2 ? null : buildRuledTable(inside, frame, page);
    if (table !== null) {
      tables.push(table);
      for (const word of inside) used.add(word);
    } else if (hasFields(frame)) drawings.push(frame.area);
  }
  return { tables, drawings };
}

/** Checks that lines divide a frame in both directions. */
const hasFields = ({ across, down, area }: Frame): boolean =>
  across.some(({ at }) => at > area.y0 + EDGE_MIN && at < area.y1 - EDGE_MIN) &&
  down.some(({ at }) => at > area.x0 + EDGE_MIN && at < area.x1 - EDGE_MIN);

type Frame = Rulings & { area: Area };

/** Groups lines that meet. */
function groupFrames({ across, down }: Rulings): Frame[] {
  const parents = [...across, ...down].map((_, at) => at);
  const findRoot = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[at] = root;
    return root;
  };
  for (const [h, row] of across.entries())
    for (const [v, column] of down.entries()) {
      const meets =
        column.at >= row.from - TOUCH &&
        column.at <= row.to + TOUCH &&
        row.at >= column.from - TOUCH &&
        row.at <= column.to + TOUCH;
      if (meets) parents[findRoot(h)] = findRoot(across.length + v);
    }
  const frames = new Map<number, Frame>();
  const frameOf = (at: number): Frame => {
    const root = findRoot(at);
    const frame = frames.get(root) ?? { across: [], down: [], area: { x0: 0, x1: 0, y0: 0, y1: 0 } };
    frames.set(root, frame);
    return frame;
  };
  for (const [at, row] of across.entries()) frameOf(at).across.push(row);
  for (const [at, column] of down.entries()) frameOf(across.length + at).down.push(column);
  return [...frames.values()]
    .filter((frame) => frame.across.length >= 2 && frame.down.length >= 1)
    .map((frame) => ({ ...frame, area: measureArea(frame) }));
}

const measureExtent = ({ area }: Frame): number => (area.x1 - area.x0) * (area.y1 - area.y0);

function measureArea({ across, down }: Rulings): Area {
  const area = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  for (const { at, from, to } of across) {
    area.x0 = Math.min(area.x0, from);
    area.x1 = Math.max(area.x1, to);
    area.y0 = Math.min(area.y0, at);
    area.y1 = Math.max(area.y1, at);
  }
  for (const { at, from, to } of down) {
    area.x0 = Math.min(area.x0, at);
    area.x1 = Math.max(area.x1, at);
    area.y0 = Math.min(area.y0, from);
    area.y1 = Math.max(area.y1, to);
  }
  return area;
}

const isInside = (word: Run, { x0, x1, y0, y1 }: Area): boolean => {
  const [x, y] = [(word.x0 + word.x1) / 2, word.y + 0.3 * word.size];
  return x > x0 && x < x1 && y > y0 && y < y1;
};

function buildRuledTable(words: Run[], frame: Frame, page: number): FramedTable | null {
  const { area } = frame;
  const xs = listEdges([area.x0, ...frame.down.map(({ at }) => at), area.x1]);
  const ys = listEdges([area.y0, ...frame.across.map(({ at }) => at), area.y1]).reverse();
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 1 || rows < 1 || columns * rows < 2 || columns * rows > GRID_CELLS_MAX) return null;
  const regions = mergeRegions({ xs, ys }, frame);
  const cells = new Map<number, GridCell & { fields: number }>();
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const root = regions[row * columns + column] ?? 0;
      const cell = cells.get(root);
      if (cell === undefined)
        cells.set(root, { row, column, lastRow: row, lastColumn: column, words: [], fields: 1 });
      else extendCell(cell, row, column);
    }
  const places = new Map<Run, { row: number; column: number }>();
  for (const word of words) {
    const row = clamp(
      ys.findLastIndex((y) => y > word.y + 0.3 * word.size),
      rows,
    );
    const column = clamp(
      xs.findLastIndex((x) => x < (word.x0 + word.x1) / 2),
      columns,
    );
    places.set(word, { row, column });
    cells.get(regions[row * columns + column] ?? 0)?.words.push(word);
  }
  for (const cell of cells.values()) if (cell.fields !== countFields(cell)) shrinkCell(cell, places);
  return finishTable({ cells: [...cells.values()], xs, ys }, { area, page, used: new Set(words) });
}

const clamp = (at: number, count: number): number => Math.max(0, Math.min(at, count - 1));

function extendCell(cell: GridCell & { fields: number }, row: number, column: number): void {
  cell.fields += 1;
  cell.lastRow = Math.max(cell.lastRow, row);
  cell.column = Math.min(cell.column, column);
  cell.lastColumn = Math.max(cell.lastColumn, column);
}

/** Limits a region that is no rectangle, such as the inside of a frame around a table, to the fields that hold its text. */
function shrinkCell(cell: GridCell, places: Map<Run, { row: number; column: number }>): void {
  const own = cell.words.flatMap((word) => places.get(word) ?? []);
  const [first] = own;
  if (first === undefined) return;
  Object.assign(cell, { row: first.row, lastRow: first.row, column: first.column, lastColumn: first.column });
  for (const { row, column } of own) {
    cell.row = Math.min(cell.row, row);
    cell.lastRow = Math.max(cell.lastRow, row);
    cell.column = Math.min(cell.column, column);
    cell.lastColumn = Math.max(cell.lastColumn, column);
  }
}

type GridCell = Omit<PdfCell, 'lines'> & { words: Run[] };
/** A grid: its cells and the edges of its columns, from the left, and of its rows, from the top. */
type CellGrid = { cells: GridCell[]; xs: number[]; ys: number[] };

/** Returns the distinct values in order; values near each other are one edge. */
function listEdges(values: number[]): number[] {
  const edges: number[] = [];
  for (const value of values.sort((a, b) => a - b)) {
    const last = edges.at(-1);
    if (last === undefined || value - last > EDGE_MIN) edges.push(value);
  }
  return edges;
}

/** Joins the fields of a grid between which no line is drawn; returns the first field of each region. */
function mergeRegions({ xs, ys }: { xs: number[]; ys: number[] }, { across, down }: Rulings): Int32Array {
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const regions = Int32Array.from({ length: columns * rows }, (_, at) => at);
  const findRoot = (at: number): number => {
    let root = at;
    while (regions[root] !== root) root = regions[root] ?? root;
    return root;
  };
  const join = (one: number, other: number): void => {
    const [a, b] = [findRoot(one), findRoot(other)];
    regions[Math.max(a, b)] = Math.min(a, b);
  };
  const linesAt = (lines: Ruling[], edges: number[]): Ruling[][] =>
    edges.map((edge) => lines.filter(({ at }) => Math.abs(at - edge) <= EDGE_MIN));
  const [levels, uprights] = [linesAt(across, ys), linesAt(down, xs)];
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const [x0, x1] = [xs[column] ?? 0, xs[column + 1] ?? 0];
      const [y1, y0] = [ys[row] ?? 0, ys[row + 1] ?? 0];
      const field = row * columns + column;
      if (column + 1 < columns && !isCovered(uprights[column + 1] ?? [], y0, y1)) join(field, field + 1);
      if (row + 1 < rows && !isCovered(levels[row + 1] ?? [], x0, x1)) join(field, field + columns);
    }
  return regions.map((_, at) => findRoot(at));
}

function isCovered(lines: Ruling[], from: number, to: number): boolean {
  let covered = 0;
  for (const line of lines) covered += Math.max(0, Math.min(line.to, to) - Math.max(line.from, from));
  return covered >= COVERED_MIN * (to - from);
}

/** Splits rows and columns that the lines leave open, drops empty ones, and takes title and notes out of the frame. */
function finishTable(
  grid: CellGrid,
  { area, page, used }: { area: Area; page: number; used: Set<Run> },
): FramedTable | null {
  const dense = dropNarrowColumns(dropEmptyTracks(grid));
  if (dense === null || measureHeight(dense) < DENSE_MIN * measureHeight(grid)) return null;
  const split = splitOpenHeads(splitOpenRows(splitOpenColumns(splitSpans(dense))));
  const { inner, above, below } = takeFrameTexts(dropEmptyTracks(split));
  const [rows, columns] = [inner.ys.length - 1, inner.xs.length - 1];
  const { cells } = inner;
  if (rows < 2 || columns < 2 || cells.length < 4) return null;
  if (measureRoom(inner) > ROOM_MAX) return null;
  if (cells.filter(hasTextsApart).length > APART_MAX * cells.length) return null;
  // Numbers alone are those of a chart.
  if (!cells.some(({ words }) => words.some(({ text }) => /\p{L}/u.test(text)))) return null;
  const single = cells.filter((cell) => cell.row === cell.lastRow && cell.column === cell.lastColumn).length;
  if (single < SINGLE_MIN * cells.length) return null;
  if (cells.reduce((sum, cell) => sum + countFields(cell), 0) < FILLED_MIN * rows * columns) return null;
  const finished = cells.map(
    ({ words, row, column, lastRow, lastColumn }): PdfCell => ({
      row,
      column,
      lastRow,
      lastColumn,
      lines: buildCellLines(words, page),
    }),
  );
  return { table: { rows, columns, cells: finished, area }, above, below, used };
}

/** Checks for texts far apart in one field, such as the labels of an axis. */
const hasTextsApart = ({ words }: GridCell): boolean =>
  groupRows(words).some(
    (row) => splitSegments(row, 1).filter(([word]) => !isListSign(word?.text ?? '')).length > 1,
  );

const countFields = ({ row, lastRow, column, lastColumn }: GridCell): number =>
  (lastRow - row + 1) * (lastColumn - column + 1);

const measureHeight = ({ cells, ys }: CellGrid): number => {
  const rows = new Set(cells.flatMap(({ row, words }) => (words.length > 0 ? [row] : [])));
  return [...rows].reduce((sum, row) => sum + (ys[row] ?? 0) - (ys[row + 1] ?? 0), 0);
};

/** Returns the median height of the rows, in the heights of their texts. */
function measureRoom({ cells, ys }: CellGrid): number {
  const rooms: number[] = [];
  for (let row = 0; row < ys.length - 1; row += 1) {
    const texts = cells
      .filter((cell) => cell.row === row && cell.lastRow === row)
      .map(
        ({ words }) =>
          words.reduce((most, { y, size }) => Math.max(most, y + size), -Infinity) -
          words.reduce((least, { y }) => Math.min(least, y), Infinity),
      );
    const most = Math.max(0, ...texts);
    if (most > 0) rooms.push(((ys[row] ?? 0) - (ys[row + 1] ?? 0)) / most);
  }
  return rooms.sort((a, b) => a - b)[Math.floor(rooms.length / 2)] ?? 0;
}

/** Takes rows of one cell at the top and at the bottom out of a table. */
function takeFrameTexts(grid: CellGrid): { inner: CellGrid; above: Run[][]; below: Run[][] } {
  const [rows, columns] = [grid.ys.length - 1, grid.xs.length - 1];
  const listRow = (row: number): GridCell[] =>
    grid.cells.filter((cell) => cell.row <= row && row <= cell.lastRow);
  const isWhole = (row: number): boolean => {
    const [only, ...others] = listRow(row);
    return only !== undefined && others.length === 0 && only.column === 0 && only.lastColumn === columns - 1;
  };
  let [first, last] = [0, rows - 1];
  const [above, below]: [Run[][], Run[][]] = [[], []];
  const readRow = (row: number): Run[][] =>
    listRow(row).flatMap((cell) => (cell.row === row ? groupRows(cell.words) : []));
  for (; first < last && isWhole(first); first += 1) above.push(...readRow(first));
  for (; last > first && isWhole(last); last -= 1) below.unshift(...readRow(last));
  const cells = grid.cells
    .filter((cell) => cell.lastRow >= first && cell.row <= last)
    .map((cell) => ({
      ...cell,
      row: Math.max(0, cell.row - first),
      lastRow: Math.min(cell.lastRow, last) - first,
    }));
  return { inner: { cells, xs: grid.xs, ys: grid.ys.slice(first, last + 2) }, above, below };
}

/** Drops rows and columns in which no text begins. */
function dropEmptyTracks(grid: CellGrid): CellGrid {
  const filled = grid.cells.filter(({ words }) => words.length > 0);
  const rows = new Set(filled.map(({ row }) => row));
  const columns = new Set(filled.map(({ column }) => column));
  return keepTracks({ ...grid, cells: filled }, { rows, columns });
}

function keepTracks(grid: CellGrid, kept: { rows: Set<number>; columns: Set<number> }): CellGrid {
  const number = (edges: number[], own: Set<number>): { before: number[]; edges: number[] } => {
    const before = [0];
    for (let at = 0; at < edges.length - 1; at += 1) before.push((before[at] ?? 0) + (own.has(at) ? 1 : 0));
    return { before, edges: [...edges.filter((_, at) => own.has(at)), ...edges.slice(-1)] };
  };
  const [rows, columns] = [number(grid.ys, kept.rows), number(grid.xs, kept.columns)];
  const cells = grid.cells.map((cell) => {
    const [row, column] = [rows.before[cell.row] ?? 0, columns.before[cell.column] ?? 0];
    return {
      row,
      column,
      lastRow: Math.max(row, (rows.before[cell.lastRow + 1] ?? 0) - 1),
      lastColumn: Math.max(column, (columns.before[cell.lastColumn + 1] ?? 0) - 1),
      words: cell.words,
    };
  });
  return { cells, xs: columns.edges, ys: rows.edges };
}

/** Joins a column too narrow for text, such as the padding of a coloured head, with its neighbour if no row has a text in both. */
function dropNarrowColumns(grid: CellGrid): CellGrid | null {
  let joined = grid;
  for (let column = 0; column < joined.xs.length - 2; column += 1) {
    const width = (at: number): number => (joined.xs[at + 1] ?? 0) - (joined.xs[at] ?? 0);
    const size = joined.cells[0]?.words[0]?.size ?? 10;
    if (Math.min(width(column), width(column + 1)) > NARROW * size) continue;
    const ends = new Set<number>();
    for (const cell of joined.cells)
      if (cell.lastColumn === column) for (let row = cell.row; row <= cell.lastRow; row += 1) ends.add(row);
    const isApart = joined.cells.some((cell) => {
      if (cell.column !== column + 1) return false;
      for (let row = cell.row; row <= cell.lastRow; row += 1) if (ends.has(row)) return true;
      return false;
    });
    if (isApart) continue;
    const move = (at: number): number => (at > column ? at - 1 : at);
    const cells = joined.cells.map((cell) => ({
      ...cell,
      column: move(cell.column),
      lastColumn: move(cell.lastColumn),
    }));
    joined = { cells, xs: joined.xs.filter((_, at) => at !== column + 1), ys: joined.ys };
    column -= 1;
  }
  return joined.xs.length < 2 ? null : joined;
}

/** Splits cells that span rows or columns only because a line is missing: their texts stand in the rows or columns of the others. */
function splitSpans(grid: CellGrid): CellGrid {
  const cells = grid.cells.flatMap((cell) => splitSpannedColumns(cell, grid));
  const heights = new Map<number, Set<GridCell>>();
  for (const cell of cells)
    for (const { y } of cell.words) {
      const key = Math.round(y / 2);
      const own = heights.get(key);
      if (own === undefined) heights.set(key, new Set([cell]));
      else own.add(cell);
    }
  return { ...grid, cells: cells.flatMap((cell) => splitSpannedRows(cell, grid.ys, heights)) };
}

function splitSpannedColumns(cell: GridCell, { xs }: CellGrid): GridCell[] {
  if (cell.lastColumn === cell.column) return [cell];
  const parts = new Map<number, Run[]>();
  for (const row of groupRows(cell.words))
    for (const segment of splitSegments(row, 0.8)) {
      const [x0, x1] = [segment[0]?.x0 ?? 0, segment.at(-1)?.x1 ?? 0];
      const column = xs.findLastIndex((x) => x <= (x0 + x1) / 2);
      if (x0 < (xs[column] ?? 0) - NARROW || x1 > (xs[column + 1] ?? 0) + NARROW) return [cell];
      parts.set(column, [...(parts.get(column) ?? []), ...segment]);
    }
  if (parts.size < 2) return [cell];
  return [...parts].map(([column, words]) => ({ ...cell, column, lastColumn: column, words }));
}

/** `heights` holds the cells that have text at each height, in steps of 2 points. */
function splitSpannedRows(cell: GridCell, ys: number[], heights: Map<number, Set<GridCell>>): GridCell[] {
  const spanned = cell.lastRow - cell.row + 1;
  if (spanned < SPANNED_ROWS_MIN) return [cell];
  const lines = groupRows(cell.words);
  const hasOther = (key: number): boolean => {
    const own = heights.get(key);
    return own !== undefined && own.size > (own.has(cell) ? 1 : 0);
  };
  const parts = new Map<number, Run[]>();
  for (const line of lines) {
    const { y, size } = line[0] ?? { y: 0, size: 0 };
    const row = ys.findLastIndex((edge) => edge > y + 0.3 * size);
    const isBeside = [-1, 0, 1].some((step) => hasOther(Math.round(y / 2) + step));
    if (!isBeside || parts.has(row)) return [cell];
    parts.set(row, line);
  }
  if (parts.size < 0.6 * spanned) return [cell];
  return [...parts].map(([row, words]) => ({ ...cell, row, lastRow: row, words }));
}

/** Splits columns in which most rows hold two texts with a white strip between them. */
function splitOpenColumns(grid: CellGrid): CellGrid {
  let split = grid;
  for (let column = 0; column < split.xs.length - 1; column += 1) {
    const own = split.cells.filter((cell) => cell.column === column && cell.lastColumn === column);
    const rows = own.flatMap(({ words }) => groupRows(words));
    const pairs = rows.filter(
      (row) => splitSegments(row, 0.5).length > 1 && row.some(({ text }) => isNumeric(text)),
    );
    if (pairs.length < PAIRS_MIN || pairs.length < 0.6 * rows.length) continue;
    const size = rows[0]?.[0]?.size ?? 10;
    const [gutter] = findGutters(rows, { width: 0.4 * size, crossedMax: 0.15 });
    if (gutter !== undefined) split = splitColumn(split, column, (gutter.x0 + gutter.x1) / 2);
  }
  return split;
}

function splitColumn(grid: CellGrid, column: number, x: number): CellGrid {
  const cells = grid.cells.flatMap((cell): GridCell[] => {
    const moved = {
      ...cell,
      column: cell.column > column ? cell.column + 1 : cell.column,
      lastColumn: cell.lastColumn >= column ? cell.lastColumn + 1 : cell.lastColumn,
    };
    const isOwn = cell.column === column && cell.lastColumn === column;
    if (!isOwn || cell.words.some((word) => word.x0 < x && word.x1 > x)) return [moved];
    const sides = [
      { ...moved, lastColumn: column, words: cell.words.filter((word) => word.x1 <= x) },
      { ...moved, column: column + 1, words: cell.words.filter((word) => word.x1 > x) },
    ];
    return sides.filter(({ words }) => words.length > 0);
  });
  return { cells, xs: [...grid.xs.slice(0, column + 1), x, ...grid.xs.slice(column + 1)], ys: grid.ys };
}

/** Splits a head that names several columns and, in its last line, each of them: into a name above and a name for each column. */
function splitOpenHeads(grid: CellGrid): CellGrid {
  const heads = new Map<GridCell, { names: GridCell[]; above: Run[] }>();
  for (const cell of grid.cells) {
    const lines = cell.lastColumn > cell.column && cell.row === cell.lastRow ? groupRows(cell.words) : [];
    const last = lines.at(-1);
    if (last === undefined || lines.length < 2) continue;
    const names = splitSpannedColumns({ ...cell, words: last }, grid);
    if (names.length > 1) heads.set(cell, { names, above: lines.slice(0, -1).flat() });
  }
  const rows = [...new Set([...heads.keys()].map(({ row }) => row))].sort((a, b) => b - a);
  let { cells, ys } = grid;
  for (const row of rows) {
    cells = cells.flatMap((cell): GridCell[] => {
      const head = heads.get(cell);
      if (cell.row === row && head !== undefined)
        return [
          { ...cell, words: head.above },
          ...head.names.map((name) => ({ ...name, row: row + 1, lastRow: row + 1 })),
        ];
      const [first, last] = [
        cell.row > row ? cell.row + 1 : cell.row,
        cell.lastRow >= row ? cell.lastRow + 1 : cell.lastRow,
      ];
      return [{ ...cell, row: first, lastRow: last }];
    });
    const middle = ((ys[row] ?? 0) + (ys[row + 1] ?? 0)) / 2;
    ys = [...ys.slice(0, row + 1), middle, ...ys.slice(row + 1)];
  }
  return { cells, xs: grid.xs, ys };
}

/** Splits rows in which the cells of several columns hold one short text per line: a list of rows without lines between them. */
function splitOpenRows(grid: CellGrid): CellGrid {
  let split = grid;
  for (let row = 0; row < split.ys.length - 1; row += 1) {
    const starts = findRowStarts(split, row);
    if (starts.length < 2) continue;
    split = splitRow(split, row, starts);
    row += starts.length - 1;
  }
  return split;
}

/** Returns the heights at which a new row begins. */
function findRowStarts(grid: CellGrid, row: number): number[] {
  const own = grid.cells.filter((cell) => cell.row === row && cell.lastRow === row);
  const columnOf = new Map(own.flatMap((cell) => cell.words.map((word) => [word, cell.column] as const)));
  const lines = groupRows([...columnOf.keys()]);
  if (lines.length < 2) return [];
  const filled = lines.map((line) => new Set(line.map((word) => columnOf.get(word) ?? 0)));
  const full = lines.filter(
    (line, at) =>
      (filled[at]?.size ?? 0) >= 2 &&
      line.some((word) => (columnOf.get(word) ?? 0) > 0 && isNumeric(word.text)),
  ).length;
  const isList =
    lines.length >= LIST_LINES_MIN &&
    filled.every(({ size }) => size === own.length) &&
    isNarrow(own[0], grid);
  if (own.length < 2 || (!isList && (full < 2 || full < 0.6 * lines.length))) return [];
  return lines.flatMap((line, at) =>
    at === 0 || filled[at]?.has(0) || (filled[at]?.size ?? 0) >= 2 ? [line[0]?.y ?? 0] : [],
  );
}

/** Checks that the lines of a cell end long before the cell does, so that none continues on the next. */
function isNarrow(cell: GridCell | undefined, { xs }: CellGrid): boolean {
  if (cell === undefined) return false;
  const [x0, x1] = [xs[cell.column] ?? 0, xs[cell.lastColumn + 1] ?? 0];
  return cell.words.every((word) => word.x1 < x0 + NARROW_LINES * (x1 - x0));
}

function splitRow(grid: CellGrid, row: number, starts: number[]): CellGrid {
  const added = starts.length - 1;
  const cells = grid.cells.flatMap((cell): GridCell[] => {
    if (cell.row !== row || cell.lastRow !== row)
      return [
        {
          ...cell,
          row: cell.row > row ? cell.row + added : cell.row,
          lastRow: cell.lastRow >= row ? cell.lastRow + added : cell.lastRow,
        },
      ];
    const parts = starts.map((): Run[] => []);
    for (const word of cell.words) {
      const start = starts.findLastIndex((y) => word.y <= y + 0.5 * word.size);
      parts[Math.max(0, start)]?.push(word);
    }
    return parts.flatMap((words, at) =>
      words.length === 0 ? [] : [{ ...cell, row: row + at, lastRow: row + at, words }],
    );
  });
  const inner = starts.slice(1).map((y) => y + 1);
  return { cells, xs: grid.xs, ys: [...grid.ys.slice(0, row + 1), ...inner, ...grid.ys.slice(row + 1)] };
}
