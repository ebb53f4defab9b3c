import type { Run } from '../glyphs.ts';
import type { Area, Line, PdfCell } from '../page-lines.ts';
import type { FramedTable } from './ruled-tables.ts';
import type { Ruling, Rulings } from './rulings.ts';
import { buildCellLines, findGutters, groupRows, isListSign, isNumeric, splitSegments } from './word-rows.ts';

/** A gap of this many font sizes separates texts of one row that stand in different columns. */
const GAP = 1;
/** Rows further apart than this many font sizes belong to different tables. */
const ROW_GAP_MAX = 4;
const ROWS_MIN = 3;
const ROWS_MAX = 500;
const COLUMNS_MAX = 40;
const HEAD_ROWS_MAX = 10;
/** Rows between two rows of columns that may hold one text, such as the name of a group. */
const SINGLES_MAX = 2;
/** Paragraphs have at least this many lines, of this many characters on average. */
const PROSE_LINES_MIN = 3;
const PROSE_CHARS_MIN = 30;

/** A row of words, and its groups of words with wide gaps between them. */
type Row = { words: Run[]; segments: Segment[]; y: number; size: number };
type Segment = { words: Run[]; x0: number; x1: number };
type Strip = { x0: number; x1: number };
/** A column from the middle of the white strip before it to the middle of the one after it; `gap` is the strip after it. */
type Column = Strip & { gap: Strip };

/** The lines of a page with the words of each that are left, and what is drawn on it. */
type PageContent = {
  lines: Line[];
  wordsOf: Map<Line, Run[]>;
  rulings: Rulings;
  drawings: Area[];
  isTypescript: boolean;
};

/**
 * Finds tables by the strips of white between their columns. Paragraphs are left out first: those of a page of several columns have such
 * strips too.
 */
export function findAlignedTables(
  { lines, wordsOf, rulings, drawings, isTypescript }: PageContent,
  page: number,
): FramedTable[] {
  const prose = findProse(lines.filter((line) => wordsOf.has(line)));
  const words = lines.flatMap((line) =>
    prose.has(line) || isLeader(line) || (line.mono && !isTypescript) ? [] : (wordsOf.get(line) ?? []),
  );
  const rows = joinOverlaps(groupRows(words).map(buildRow));
  const tables: FramedTable[] = [];
  let at = 0;
  while (at < rows.length) {
    const end = findRegionEnd(rows, at, prose);
    const table = end - at < 2 ? null : buildAlignedTable({ rows, at, end, prose, rulings, drawings }, page);
    if (table !== null) tables.push(table);
    at = table === null ? at + 1 : Math.max(end, at + 1);
  }
  return tables;
}

/** Lines of a table of contents: a title, dots, and a page. */
const isLeader = ({ text }: Line): boolean => /(?:\.\s?){5}\s{0,9}[\divxlc]{1,9}$/i.test(text);

function buildRow(words: Run[]): Row {
  const segments = splitSegments(words, GAP).map(buildSegment);
  const main = words.reduce((most, word) => (word.text.length > most.text.length ? word : most));
  return { words, segments, y: main.y, size: main.size };
}

/** Joins rows that stand beside each other: a name of two lines and the numbers at half their height. */
function joinOverlaps(rows: Row[]): Row[] {
  const joined: Row[] = [];
  let [y, words]: [number, Run[]] = [0, []];
  for (const row of rows) {
    const open = joined.at(-1);
    const isBeside = row.words.every((word) =>
      words.every((other) => word.x0 > other.x1 || word.x1 < other.x0),
    );
    if (open !== undefined && y - row.y < 0.8 * Math.min(row.size, open.size) && isBeside)
      joined[joined.length - 1] = buildRow([...open.words, ...row.words].sort((a, b) => a.x0 - b.x0));
    else joined.push(row);
    [y, words] = [row.y, row.words];
  }
  return joined;
}

const buildSegment = (words: Run[]): Segment => ({
  words,
  x0: words[0]?.x0 ?? 0,
  x1: words.reduce((most, { x1 }) => Math.max(most, x1), Number.NEGATIVE_INFINITY),
});

/** Finds the lines of paragraphs: drawn one after the other, each below the one before, long, and in one type. */
function findProse(lines: Line[]): Set<Line> {
  const prose = new Set<Line>();
  let open: Line[] = [];
  const close = (): void => {
    const chars = open.reduce((sum, { text }) => sum + text.length, 0);
    if (open.length >= PROSE_LINES_MIN && chars / open.length >= PROSE_CHARS_MIN)
      for (const line of open) prose.add(line);
    open = [];
  };
  for (const line of lines) {
    const last = open.at(-1);
    const gap = last === undefined ? 0 : last.y - line.y;
    const follows =
      last !== undefined &&
      gap > 0.8 * line.size &&
      gap < 2.6 * line.size &&
      Math.abs(last.size - line.size) < 0.15 * line.size &&
      line.x0 < last.x1 &&
      Math.abs(line.x0 - last.x0) < 4 * line.size &&
      (last.text.length > PROSE_CHARS_MIN || last === open[0]);
    if (!follows || line.table !== null) close();
    if (line.table === null) open.push(line);
  }
  close();
  return prose;
}

/** Returns the end of the rows that share columns with the row at an index; the index itself when it begins no table. */
function findRegionEnd(rows: Row[], at: number, prose: Set<Line>): number {
  const first = rows[at];
  if (first === undefined || first.segments.length < 2 || isCaption(first)) return at;
  let strips = listGaps(first);
  let [left, right] = [first.segments[0]?.x0 ?? 0, first.segments.at(-1)?.x1 ?? 0];
  let end = at + 1;
  let singles = 0;
  for (let next = at + 1; next < rows.length && next - at < ROWS_MAX; next += 1) {
    const [row, before] = [rows[next], rows[next - 1]];
    if (row === undefined || before === undefined) break;
    if (before.y - row.y > ROW_GAP_MAX * Math.max(row.size, before.size)) break;
    if (hasProseBetween(prose, before, row)) break;
    if (row.segments.length < 2) {
      singles += 1;
      const [only] = row.segments;
      const isWide = only === undefined || only.x1 - only.x0 > 0.6 * (right - left);
      if (singles > SINGLES_MAX || isWide) break;
      continue;
    }
    const kept = strips.filter(
      (strip) => !row.segments.some(({ x0, x1 }) => x0 < strip.x1 && x1 > strip.x0 && !leaves(strip, x0, x1)),
    );
    if (kept.length < Math.max(1, 0.6 * strips.length)) break;
    strips = kept.map((strip) => narrowStrip(strip, row));
    [left, right] = [
      Math.min(left, row.segments[0]?.x0 ?? left),
      Math.max(right, row.segments.at(-1)?.x1 ?? right),
    ];
    singles = 0;
    end = next + 1;
  }
  return end;
}

/** The narrowest strip between two columns, in points. */
const STRIP_MIN = 3;
/** Checks that a text leaves a part of a strip white. */
const leaves = (strip: Strip, x0: number, x1: number): boolean =>
  x0 - strip.x0 >= STRIP_MIN || strip.x1 - x1 >= STRIP_MIN;

function narrowStrip(strip: Strip, { segments }: Row): Strip {
  let { x0, x1 } = strip;
  for (const segment of segments) {
    if (segment.x1 <= x0 || segment.x0 >= x1) continue;
    if (segment.x0 - x0 >= x1 - segment.x1) x1 = segment.x0;
    else x0 = segment.x1;
  }
  return { x0, x1 };
}

const listGaps = ({ segments }: Row): Strip[] =>
  segments.slice(1).map((segment, before) => ({ x0: segments[before]?.x1 ?? 0, x1: segment.x0 }));

function hasProseBetween(prose: Set<Line>, above: Row, below: Row): boolean {
  const [x0, x1] = [
    Math.min(above.segments[0]?.x0 ?? 0, below.segments[0]?.x0 ?? 0),
    Math.max(above.segments.at(-1)?.x1 ?? 0, below.segments.at(-1)?.x1 ?? 0),
  ];
  for (const line of prose)
    if (line.y < above.y && line.y > below.y && line.x0 < x1 && line.x1 > x0) return true;
  return false;
}

type Region = { rows: Row[]; at: number; end: number; prose: Set<Line>; rulings: Rulings; drawings: Area[] };

function buildAlignedTable(region: Region, page: number): FramedTable | null {
  const body = region.rows.slice(region.at, region.end);
  const area = measureRows(body);
  const first = findHeadStart(region, area);
  const rows = region.rows.slice(first, region.end);
  if (region.drawings.some((drawing) => isOver(drawing, area))) return null;
  const columns = findColumns(rows);
  if (columns.length < 2 || columns.length > COLUMNS_MAX) return null;
  const across = region.rulings.across.filter(
    ({ at, from, to }) => at > area.y0 - 8 && at < (rows[0]?.y ?? 0) + 30 && to > area.x0 && from < area.x1,
  );
  const cells = buildCells(rows, columns, across);
  const lines = cells.flatMap(({ words }) => words);
  if (!isTable(cells, columns.length, { area, across })) return null;
  const count = Math.max(...cells.map(({ lastRow }) => lastRow)) + 1;
  const finished = cells.map(
    ({ words, row, column, lastRow, lastColumn }): PdfCell => ({
      row,
      column,
      lastRow,
      lastColumn,
      lines: buildCellLines(words, page),
    }),
  );
  return {
    table: { rows: count, columns: columns.length, cells: finished, area: measureRows(rows) },
    above: [],
    below: [],
    used: new Set(lines),
  };
}

/** Maximum share of a table's area that another drawing covers: the labels of charts stand in rows and columns too. */
const DRAWN_MAX = 0.3;

function isOver(drawing: Area, area: Area): boolean {
  const width = Math.min(drawing.x1, area.x1) - Math.max(drawing.x0, area.x0);
  const height = Math.min(drawing.y1, area.y1) - Math.max(drawing.y0, area.y0);
  return width > 0 && height > 0 && width * height > DRAWN_MAX * (area.x1 - area.x0) * (area.y1 - area.y0);
}

function measureRows(rows: Row[]): Area {
  const area = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  for (const { segments, y, size } of rows) {
    area.x0 = Math.min(area.x0, segments[0]?.x0 ?? Infinity);
    area.x1 = Math.max(area.x1, segments.at(-1)?.x1 ?? -Infinity);
    area.y0 = Math.min(area.y0, y);
    area.y1 = Math.max(area.y1, y + size);
  }
  return area;
}

/**
 * Returns the index of the first row of the head: the row below the highest line that is as wide as the table; without such a line, the
 * names that stand above several columns.
 */
function findHeadStart({ rows, at, prose, rulings }: Region, area: Area): number {
  let named = at;
  let ruled: number | null = null;
  for (let next = at; next >= 0 && at - next <= HEAD_ROWS_MAX; next -= 1) {
    const [row, above] = [rows[next], rows[next - 1]];
    if (row === undefined) break;
    const isNear = above !== undefined && above.y - row.y <= ROW_GAP_MAX * Math.max(row.size, above.size);
    const top = isNear ? above.y + 0.2 * above.size : row.y + 3 * row.size;
    if (hasWideLine(rulings.across, area, { from: row.y + 0.5 * row.size, to: top })) ruled = next;
    if (!isNear || hasProseBetween(prose, above, row) || isCaption(above) || !isWithin(above, area)) break;
    const isName =
      (above.segments[0]?.x0 ?? 0) > area.x0 + 2 * above.size && above.y - row.y < 2.2 * above.size;
    if (named === next && isName) named = next - 1;
    const width = (above.segments.at(-1)?.x1 ?? 0) - (above.segments[0]?.x0 ?? 0);
    if (above.segments.length < 2 && width > 0.6 * (area.x1 - area.x0)) break;
  }
  return ruled ?? named;
}

const isWithin = ({ segments }: Row, area: Area): boolean =>
  (segments[0]?.x0 ?? 0) > area.x0 - 5 && (segments.at(-1)?.x1 ?? 0) < area.x1 + 5;

const isCaption = ({ words }: Row): boolean =>
  /^(?:table|tableau|tabelle|exhibit|figure|chart|box)$/i.test(words[0]?.text ?? '');

/** Looks for a line across, or several at one height, as wide as most of an area. */
function hasWideLine(
  across: Ruling[],
  { x0, x1 }: Area,
  { from, to }: { from: number; to: number },
): boolean {
  const levels = new Map<number, number>();
  for (const line of across) {
    if (line.at < from || line.at > to) continue;
    const key = Math.round(line.at / 3);
    levels.set(key, (levels.get(key) ?? 0) + Math.max(0, Math.min(line.to, x1) - Math.max(line.from, x0)));
  }
  return [...levels.values()].some((length) => length > WIDE * (x1 - x0));
}
const WIDE = 0.75;

/** Finds the columns of rows: the strips that most rows with many texts leave white. */
function findColumns(rows: Row[]): Column[] {
  const counts = rows.map(({ segments }) => segments.length).sort((a, b) => a - b);
  const many = counts[Math.floor(counts.length * 0.85)] ?? 2;
  const full = rows.filter(({ segments }) => segments.length >= Math.max(2, 0.6 * many));
  const size = full[0]?.size ?? 10;
  const width = (full.length >= 8 ? 0.35 : full.length >= 5 ? 0.6 : 0.9) * size;
  const gutters = findGutters(
    full.map(({ words }) => words),
    { width, crossedMax: full.length >= 8 ? 0.1 : 0 },
  );
  const area = measureRows(rows);
  const ends = [...gutters, { x0: area.x1, x1: area.x1 }];
  return ends.map((gap, at) => {
    const before = gutters[at - 1];
    return {
      x0: before === undefined ? area.x0 : (before.x0 + before.x1) / 2,
      x1: (gap.x0 + gap.x1) / 2,
      gap,
    };
  });
}

/** Checks for a word that fills the white strip between two columns: it belongs to a text that stands across both. */
const crossesGap = (words: Run[], columns: Column[]): boolean =>
  words.some((word) =>
    columns.slice(0, -1).some(({ gap }) => word.x0 < gap.x0 + 0.5 && word.x1 > gap.x1 - 0.5),
  );

type Cell = Omit<PdfCell, 'lines'> & { words: Run[] };

function buildCells(rows: Row[], columns: Column[], across: Ruling[]): Cell[] {
  const head = countHeadRows(rows, columns, across);
  const cells = buildHead(rows.slice(0, head), columns, across);
  let next = cells.reduce((most, { lastRow }) => Math.max(most, lastRow + 1), 0);
  let last: Cell[] = [];
  for (const row of rows.slice(head)) {
    const own = placeSegments(row, columns);
    if (last.length > 0 && continuesRow(own, last)) {
      for (const cell of own) last.find(({ column }) => column === cell.column)?.words.push(...cell.words);
      continue;
    }
    for (const cell of own) {
      cell.row = next;
      cell.lastRow = next;
    }
    cells.push(...own);
    last = own;
    next += 1;
  }
  return cells;
}

/** Checks for the second line of a row: it has text only where the row has, and begins in small letters or goes on with the first column. */
function continuesRow(own: Cell[], last: Cell[]): boolean {
  const [first] = own;
  const above = last[0]?.words.at(-1);
  const word = first?.words[0];
  if (first === undefined || above === undefined || word === undefined) return false;
  const gap = above.y - word.y;
  if (gap > 1.5 * word.size || gap <= 0) return false;
  if (!own.every(({ column }) => last.some((cell) => cell.column === column))) return false;
  if (own.some(({ column, words }) => column > 0 && words.some(({ text }) => isNumeric(text)))) return false;
  if (first.column === 0) return own.length === 1 && /^[\p{Ll}(]/u.test(word.text);
  return last.some(({ column }) => column === 0);
}

/** Puts the texts of a row into columns; a text that stands across several spans them. */
function placeSegments(row: Row, columns: Column[]): Cell[] {
  const cells = new Map<number, Cell>();
  const place = (words: Run[], column: number, lastColumn: number): void => {
    const known = cells.get(column);
    if (known === undefined) cells.set(column, { row: 0, lastRow: 0, column, lastColumn, words: [...words] });
    else {
      known.words.push(...words);
      known.lastColumn = Math.max(known.lastColumn, lastColumn);
    }
  };
  for (const segment of splitSegments(row.words, 0.6)) {
    const [first, last] = [findColumn(columns, segment[0]), findColumn(columns, segment.at(-1))];
    const crosses = crossesGap(segment, columns);
    if (first === last) place(segment, first, last);
    else if (row.segments.length === 1 || (crosses && row.segments.length === 2))
      place(segment, first, first);
    else for (const word of segment) place([word], findColumn(columns, word), findColumn(columns, word));
  }
  return [...cells.values()].sort((a, b) => a.column - b.column);
}

function findColumn(columns: Column[], word: Run | undefined): number {
  const x = word === undefined ? 0 : (word.x0 + word.x1) / 2;
  const at = columns.findIndex(({ x1 }) => x < x1);
  return at === -1 ? columns.length - 1 : at;
}

/** Counts the rows of the head: those above a line as wide as the table, else those before the first row of numbers. */
function countHeadRows(rows: Row[], columns: Column[], across: Ruling[]): number {
  const area = measureRows(rows);
  const numbers = rows.map((row) => {
    const own = placeSegments(row, columns).filter(({ column }) => column > 0);
    const numeric = own.filter(({ words }) => words.every(({ text }) => isNumeric(text)) && !isYear(words));
    return own.length > 0 && numeric.length >= 0.5 * own.length;
  });
  const limit = Math.min(HEAD_ROWS_MAX, Math.ceil(rows.length / 2));
  const firstColumn = ((columns[0]?.x0 ?? 0) + (columns[0]?.gap.x0 ?? 0)) / 2;
  const full = across.filter(({ from }) => from < firstColumn);
  for (let at = 1; at <= limit; at += 1) {
    const [above, below] = [rows[at - 1], rows[at]];
    if (above === undefined || below === undefined) break;
    if (hasWideLine(full, area, { from: below.y + 0.4 * below.size, to: above.y + 0.2 * above.size }))
      return at;
  }
  const body = numbers.indexOf(true);
  if (body <= 0) return Math.min(1, rows.length);
  // Names of groups in the first column belong to the body.
  let head = Math.min(body, limit);
  while (
    head > 1 &&
    (rows[head - 1]?.segments.length ?? 0) < 2 &&
    findColumn(columns, rows[head - 1]?.words[0]) === 0
  )
    head -= 1;
  return head;
}

const isYear = (words: Run[]): boolean =>
  words.length === 1 && /^(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?$/.test(words[0]?.text ?? '');

/**
 * Builds the head. The lines of one name stand above each other in one cell; a name across several columns stands in a row above theirs,
 * and a column without such a name has one cell as high as the head.
 */
function buildHead(rows: Row[], columns: Column[], across: Ruling[]): Cell[] {
  const spans: Cell[] = [];
  const names: Run[][] = columns.map(() => []);
  for (const [at, row] of rows.entries()) {
    for (const { words, column, lastColumn } of splitHead(row, columns, across, rows[at + 1])) {
      if (column === lastColumn) names[column]?.push(...words);
      else {
        const open = spans.find(
          (span) => span.column === column && span.lastColumn === lastColumn && span.lastRow === at - 1,
        );
        if (open === undefined) spans.push({ row: at, lastRow: at, column, lastColumn, words: [...words] });
        else {
          open.words.push(...words);
          open.lastRow = at;
        }
      }
    }
  }
  // The depth of each column so far; a name across several columns stands below what is above any of them.
  const depths = columns.map(() => 0);
  const cells = spans
    .sort((a, b) => a.row - b.row)
    .map((span): Cell => {
      const own = depths.slice(span.column, span.lastColumn + 1);
      const row = Math.max(...own);
      depths.fill(row + 1, span.column, span.lastColumn + 1);
      return { ...span, row, lastRow: row };
    });
  const bottom = Math.max(...depths);
  for (const [column, words] of names.entries())
    if (words.length > 0)
      cells.push({
        row: Math.min(depths[column] ?? 0, bottom),
        lastRow: bottom,
        column,
        lastColumn: column,
        words,
      });
  return cells;
}

/** Splits a row of the head into the names of columns and the names above several columns. */
function splitHead(
  row: Row,
  columns: Column[],
  across: Ruling[],
  below: Row | undefined,
): { words: Run[]; column: number; lastColumn: number }[] {
  return splitSegments(row.words, 0.7).flatMap((words) => {
    const { x0, x1 } = buildSegment(words);
    const line = across.find(
      ({ at, from, to }) =>
        at < row.y + 0.2 * row.size &&
        at > (below === undefined ? row.y - 1.5 * row.size : below.y + 0.3 * below.size) &&
        from <= x0 + 2 &&
        to >= x1 - 2,
    );
    const own = (at: Strip): boolean => {
      const [from, to] =
        line === undefined || line.to - line.from > 0.9 * ((columns.at(-1)?.x1 ?? 0) - (columns[0]?.x0 ?? 0))
          ? [x0, x1]
          : [line.from, line.to];
      return Math.min(at.x1, to) - Math.max(at.x0, from) > 0.4 * Math.min(at.x1 - at.x0, to - from);
    };
    const ruled = columns.flatMap((strip, at) => (own(strip) ? [at] : []));
    const crosses = crossesGap(words, columns);
    const [first, last] = [ruled[0], ruled.at(-1)];
    const isAlone = row.segments.length === 1 && first !== 0;
    if (
      first !== undefined &&
      last !== undefined &&
      last > first &&
      (line !== undefined || crosses || isAlone)
    )
      return [{ words, column: first, lastColumn: last }];
    const parts = new Map<number, Run[]>();
    for (const word of words) {
      const column = findColumn(columns, word);
      parts.set(column, [...(parts.get(column) ?? []), word]);
    }
    return [...parts].map(([column, own]) => ({ words: own, column, lastColumn: column }));
  });
}

/** Checks that cells are those of a table and not running text, a list or a form. */
function isTable(
  cells: Cell[],
  columns: number,
  { area, across }: { area: Area; across: Ruling[] },
): boolean {
  const rows = new Set(cells.map(({ row }) => row)).size;
  if (rows < ROWS_MIN) return false;
  const body = cells.filter(({ row }) => row > 0);
  const text = ({ words }: Cell): string => words.map((word) => word.text).join(' ');
  const firsts = cells.filter(({ column }) => column === 0);
  const signs = firsts.filter((cell) => isListSign(text(cell)));
  if (columns === 2 && signs.length > 0.5 * firsts.length) return false;
  // The entries of a table of contents lead to pages of the document.
  const leads = cells.filter(({ words }) => words.some(({ link }) => typeof link === 'number'));
  if (new Set(leads.map(({ row }) => row)).size >= 0.5 * rows) return false;
  const chars = body.reduce((sum, cell) => sum + text(cell).length, 0) / Math.max(1, body.length);
  const values = body.filter(({ column }) => column > 0);
  const numeric = values.filter(
    ({ words }) => words.filter(({ text: word }) => isNumeric(word)).length >= 0.5 * words.length,
  );
  const ruled = across.some(({ from, to }) => to - from > WIDE * (area.x1 - area.x0));
  const filled = cells.length / (rows * columns);
  if (filled < 0.5 || !hasFullColumns(cells, columns)) return false;
  if (numeric.length >= 0.5 * values.length && values.length > 0) return chars < 40;
  if (ruled) return chars < 60;
  return columns >= 3 ? rows >= 4 && chars < 25 && filled > 0.6 : rows >= 4 && chars < 25 && filled > 0.8;
}

/** Checks that most columns have text in half of the rows; the labels of a drawing stand in columns by chance. */
function hasFullColumns(cells: Cell[], columns: number): boolean {
  const rows = new Map<number, Cell[]>();
  for (const cell of cells) rows.set(cell.row, [...(rows.get(cell.row) ?? []), cell]);
  const full = [...rows.values()].filter((own) => own.length > 1);
  const loose = [...rows.values()].filter((own) => own.length === 1 && own[0]?.column !== 0);
  if (loose.length > 0.25 * rows.size) return false;
  const counts = Array.from(
    { length: columns },
    (_, column) => full.filter((own) => own.some((cell) => cell.column === column)).length,
  );
  return counts.filter((count) => count >= 0.5 * full.length).length >= 0.6 * columns;
}
