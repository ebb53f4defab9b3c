import { formatMarkdownTable } from '../table-markdown.ts';

/** Maximum number of cells of a workbook that are written; a longer sheet ends with a line that says so. */
const CELLS_MAX = 300_000;
const COLUMNS_MAX = 1_000;
const REPEATS_MAX = 1_000;

type Sheet = { name: string; rows: string[][]; isCut: boolean };

/** Collects the cells of sheets; empty ones at the end of rows and sheets are left out. */
export type SheetWriter = {
  start(name: string): void;
  /** Puts a value into a row and column, counted from 0. */
  put(row: number, column: number, value: string): void;
  /** The sheets as sections of Markdown, with their names as headings. */
  sections(): { markdown: string; headings: string[] };
};

export function createSheets(): SheetWriter {
  const sheets: Sheet[] = [];
  let cells = 0;
  return {
    start: (name) => {
      sheets.push({ name, rows: [], isCut: false });
    },
    put(row, column, value) {
      const sheet = sheets.at(-1);
      if (sheet === undefined || value === '') return;
      // A row far down would add all the empty rows above it.
      const isFar = row - sheet.rows.length > REPEATS_MAX;
      if (cells >= CELLS_MAX || column >= COLUMNS_MAX || isFar) {
        sheet.isCut = true;
        return;
      }
      cells += 1;
      while (sheet.rows.length <= row) sheet.rows.push([]);
      const values = sheet.rows[row] ?? [];
      while (values.length < column) values.push('');
      values[column] = value;
    },
    sections() {
      const filled = sheets.filter(({ rows }) => rows.length > 0);
      const sections = filled.map(({ name, rows, isCut }) => {
        const kept = rows.filter((row) => row.length > 0);
        const rest = isCut ? '\n\nThe sheet goes on beyond the cells that are read.' : '';
        return `## ${name.replace(/\s+/g, ' ')}\n\n${formatMarkdownTable(kept)}${rest}`;
      });
      return { markdown: sections.join('\n\n'), headings: filled.map(({ name }) => name) };
    },
  };
}
