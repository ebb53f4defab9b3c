import type { Run } from './glyphs.ts';

/** Adjacent runs on one base line, without a wide gap between them. */
export type Line = {
  runs: Run[];
  text: string;
  x0: number;
  x1: number;
  y: number;
  /** The font size of its longest run. */
  size: number;
  bold: boolean;
  mono: boolean;
  page: number;
  /** The table that stands in its place; such a line has no text of its own. */
  table: PdfTable | null;
};

/** A cell of a table; its last row and column are part of it. */
export type PdfCell = { row: number; column: number; lastRow: number; lastColumn: number; lines: Line[] };

/** A table: its cells with text, and the area of the page that it covers. */
export type PdfTable = { rows: number; columns: number; cells: PdfCell[]; area: Area };

/** An area of a page; `y` grows upwards. */
export type Area = { x0: number; x1: number; y0: number; y1: number };

/** Maximum distance from the base line of a superscript or subscript run, and of a normal run, in font sizes. */
const RAISED = 0.6;
const LEVEL = 0.2;
const WIDE_GAP = 1.8;
const WIDE_GAP_MONO = 40;
/** A gap of this many font sizes is a space, even where none is drawn. */
const SPACE = 0.2;

/** Joins runs to lines, in the order in which they are drawn. */
export function buildLines(runs: Run[], page: number): Line[] {
  const lines: Line[] = [];
  let open: Run[] = [];
  for (const run of runs) {
    const last = open.at(-1);
    if (last !== undefined && canContinueLine(open, last, run)) {
      if (needsSpace(last, run)) last.text += ' ';
      open.push(run);
    } else {
      if (open.length > 0) lines.push(buildLine(open, page));
      open = [run];
    }
  }
  if (open.length > 0) lines.push(buildLine(open, page));
  return lines;
}

function canContinueLine(open: Run[], last: Run, run: Run): boolean {
  const [first] = open;
  if (first === undefined) return false;
  const size = Math.max(last.size, run.size);
  const differs = Math.abs(last.size - run.size) > 0.1 * size;
  const off = Math.min(Math.abs(run.y - last.y), Math.abs(run.y - first.y));
  if (off > size * (differs ? RAISED : LEVEL)) return false;
  const gap = run.x0 - last.x1;
  return gap > -0.5 * size && gap < size * (last.font.mono && run.font.mono ? WIDE_GAP_MONO : WIDE_GAP);
}

/** Checks whether a run that follows another is separated from it by a space. */
export function needsSpace(last: Run, run: Run): boolean {
  if (/\s$/.test(last.text) || /^\s/.test(run.text)) return false;
  return run.spaced || run.x0 - last.x1 > SPACE * Math.max(last.size, run.size);
}

/** Builds one line of runs that stand beside each other; their texts already hold the spaces between them. */
export function buildLine(runs: Run[], page: number): Line {
  const main = runs.reduce((most, run) => (run.text.length > most.text.length ? run : most));
  const mono = runs.every((run) => run.font.mono);
  const text = runs.map((run) => run.text).join('');
  return {
    runs,
    text: text.trim(),
    x0: runs.reduce((least, run) => Math.min(least, run.x0), main.x0),
    x1: runs.reduce((most, run) => Math.max(most, run.x1), main.x1),
    y: main.y,
    size: main.size,
    bold: runs.every((run) => run.font.bold),
    mono,
    page,
    table: null,
  };
}

/** Number of lines at the top and at the bottom of a page that are checked. */
const EDGE_LINES = 3;
/** Minimum number of pages, and share of them, that a running line occurs on: left and right pages may have their own. */
const PAGES_MIN = 3;
const SHARE_MIN = 0.04;

/** Drops the headers, footers and page numbers that run through the document. */
export function dropRunningLines(pages: Line[][]): Line[][] {
  const places = new Map<string, number>();
  for (const page of pages)
    for (const key of new Set(selectEdgeLines(page).map(computeLineKey)))
      places.set(key, (places.get(key) ?? 0) + 1);
  const least = Math.max(PAGES_MIN, SHARE_MIN * pages.length);
  const isRunning = (line: Line): boolean => (places.get(computeLineKey(line)) ?? 0) >= least;
  return pages.map((page) => {
    const running = new Set(selectEdgeLines(page).filter(isRunning));
    return running.size === 0 ? page : page.filter((line) => !running.has(line));
  });
}

function selectEdgeLines(page: Line[]): Line[] {
  const byHeight = [...page].sort((a, b) => b.y - a.y);
  return [...byHeight.slice(0, EDGE_LINES), ...byHeight.slice(EDGE_LINES).slice(-EDGE_LINES)];
}

/** Returns a key that is equal for the same line on two pages, whatever its numbers. */
const computeLineKey = ({ text, y, size }: Line): string =>
  `${Math.round(y / 4)} ${Math.round(size)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;
