/**
 * The tables of a Markdown text, by number, as rows of cells and as records: how a program asks for one table of a page, or one row of it.
 * Tables are those that our own writers make, one row a line; a table of another Markdown is read if it begins its lines with a bar.
 */
import { classifyLines, isDelimiterRow, readLineStart } from '../markup/scan-lines.ts';
import { toVisibleText } from '../markup/visible-text.ts';

/** A table: the names of its columns, and its rows, as they stand in the Markdown. Every row has at most as many cells as there are names. */
export type MarkdownTable = { columns: string[]; rows: string[][] };

/** A part of a table as programs use it: texts without marks, and one record for each row. */
type TableRecords = { columns: string[]; records: Record<string, string>[] };

/** Lists the tables of a Markdown text in order; cells keep their marks. */
export function listTables(markdown: string): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  const lines = markdown.split('\n');
  const kinds = classifyLines(lines);
  let open: MarkdownTable | null = null;
  for (const [at, line] of lines.entries()) {
    const { rest } = kinds[at] === 'text' ? readLineStart(line) : { rest: '' };
    if (!rest.startsWith('|')) open = null;
    else if (open === null) {
      open = { columns: splitRow(rest), rows: [] };
      tables.push(open);
    } else if (open.rows.length > 0 || !isDelimiterRow(rest)) open.rows.push(splitRow(rest));
  }
  return tables;
}

/**
 * Selects rows of a table: by their numbers from 1 (`12`, `3-9`), or those of which a cell contains the text, in any case. Null selects all.
 */
export function selectRows(table: MarkdownTable, rows: string | null): MarkdownTable {
  if (rows === null) return table;
  const [, first, last = first] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(rows) ?? [];
  if (first !== undefined)
    return { columns: table.columns, rows: table.rows.slice(Number(first) - 1, Number(last)) };
  const wanted = rows.toLowerCase();
  const isWanted = (cell: string): boolean => readCell(cell).toLowerCase().includes(wanted);
  return { columns: table.columns, rows: table.rows.filter((row) => row.some(isWanted)) };
}

/** Writes a table as Markdown again. */
export function formatTable({ columns, rows }: MarkdownTable): string {
  const format = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [columns, columns.map(() => '---'), ...rows].map(format).join('\n');
}

/** Writes a table as comma separated values (RFC 4180), the names of the columns first. */
export function formatCsv({ columns, rows }: MarkdownTable): string {
  const format = (cells: string[]): string => cells.map((cell) => quoteCell(readCell(cell))).join(',');
  return `${[columns, ...rows].map(format).join('\r\n')}\r\n`;
}

/** Converts a table to records by column. A column without a name is `column 3`, and the second of one name `Points (2)`. */
export function toRecords({ columns, rows }: MarkdownTable): TableRecords {
  const names: string[] = [];
  const taken = new Map<string, number>();
  for (const [at, column] of columns.entries()) {
    const name = readCell(column) || `column ${at + 1}`;
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    names.push(count === 1 ? name : `${name} (${count})`);
  }
  return {
    columns: names,
    records: rows.map((row) => Object.fromEntries(names.map((name, at) => [name, readCell(row[at] ?? '')]))),
  };
}

const readCell = (cell: string): string => toVisibleText(cell.replace(/<br\s{0,9}\/?>/g, '\n')).trim();

const quoteCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

function splitRow(line: string): string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
