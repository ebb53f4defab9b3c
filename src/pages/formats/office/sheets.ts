import type { Article } from '../../article.ts';
import { formatMarkdownTable } from '../csv.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { readProperties, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Maximum repetitions of a cell or row that has a value; empty ones only advance the position. */
const REPEATED_MAX = 1_000;

/** Maximum number of cells of a workbook that are written; a longer sheet ends with a line that says so. */
const CELLS_MAX = 300_000;
const COLUMNS_MAX = 1_000;
const REPEATS_MAX = 1_000;

/** Maximum cells visited for merged ones, against files with very many ranges. */
const MERGE_STEPS_MAX = 3_000_000;

type Sheet = { name: string; rows: string[][]; isCut: boolean };

/** Collects the cells of sheets; empty ones at the end of rows and sheets are left out. */
export type SheetWriter = {
  start(name: string): void;
  /** Puts a value into a row and column, counted from 0. */
  put(row: number, column: number, value: string): void;
  /** Repeats the first value of merged cells in each row, since every row must be readable alone, and beside others in each column. */
  merge(range: { row: number; column: number; rows: number; columns: number }): void;
  /** The sheets as sections of Markdown, with their names as headings. */
  sections(): { markdown: string; headings: string[] };
};

export function createSheets(): SheetWriter {
  const sheets: Sheet[] = [];
  let cells = 0;
  let mergeSteps = MERGE_STEPS_MAX;
  const writer: SheetWriter = {
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
    merge({ row, column, rows, columns }) {
      const values = sheets.at(-1)?.rows ?? [];
      const first = values[row]?.[column] ?? '';
      const isWithin = (at: number): boolean => at >= column && at < column + columns;
      const last = Math.min(row + rows, row + REPEATED_MAX, values.length);
      for (let at = row; at < last && mergeSteps > 0; at += 1) {
        mergeSteps -= 1 + (values[at]?.length ?? 0) + Math.min(columns, REPEATED_MAX);
        const hasOthers = (values[at] ?? []).some((value, place) => value !== '' && !isWithin(place));
        const wide = hasOthers ? Math.min(columns, REPEATED_MAX) : 1;
        for (let place = column; hasOthers && place < column + wide; place += 1)
          if ((values[at]?.[place] ?? '') === '') writer.put(at, place, first);
      }
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
  return writer;
}

/** Reads a spreadsheet of the OpenDocument Format as tables of the values that its cells show. */
export function readOds(zip: Zip, url: string): Article {
  const xml = zip.text('content.xml');
  const sheets = createSheets();
  let [row, column] = [0, 0];
  let [rowRepeats, cellRepeats] = [1, 1];
  let text: string[] = [];
  let [tables, notes] = [0, 0];
  let values: { column: number; value: string }[] = [];
  readXml(xml, {
    open(name, attributes) {
      if (name === 'table:table') {
        tables += 1;
        if (tables > 1) return;
        sheets.start(attributes['table:name'] ?? '');
        row = 0;
      } else if (name === 'table:table-row') {
        [column, values] = [0, []];
        rowRepeats = Number(attributes['table:number-rows-repeated']) || 1;
      } else if (name === 'table:table-cell' || name === 'table:covered-table-cell') {
        cellRepeats = Number(attributes['table:number-columns-repeated']) || 1;
        text = [];
      } else if (name === 'text:p' && notes === 0) text.push('');
      else if (name === 'office:annotation') notes += 1;
      else if (name === 'text:s' && notes === 0) text.push(`${text.pop() ?? ''} `);
    },
    text(part, _name, names) {
      if (notes === 0 && names.includes('text:p')) text.push((text.pop() ?? '') + part);
    },
    close(name) {
      if (name === 'table:table') tables -= 1;
      else if (name === 'office:annotation') notes -= 1;
      else if (name === 'table:table-cell' || name === 'table:covered-table-cell') {
        const value = text.join('\n').trim();
        for (let at = 0; value !== '' && at < Math.min(cellRepeats, REPEATED_MAX); at += 1)
          values.push({ column: column + at, value });
        column += cellRepeats;
      } else if (name === 'table:table-row') {
        for (let at = 0; values.length > 0 && at < Math.min(rowRepeats, REPEATED_MAX); at += 1)
          for (const cell of values) sheets.put(row + at, cell.column, cell.value);
        row += rowRepeats;
      }
    },
  });
  return buildPlainArticle(url, {
    kind: 'document',
    ...readProperties(zip),
    ...sheets.sections(),
    rawChars: xml.length,
  });
}
