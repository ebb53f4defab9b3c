/**
 * Finds the part of a table that a question about an extreme asks for: "which film has the highest gross" is answered by the row with
 * the highest number in the column that the question names, "who won first" by the first rows. Words alone rank all rows of a table
 * alike. English questions only.
 */
import type { Chunk } from '../chunk/chunk-markdown.ts';
import { stripLinks } from '../markup/visible-text.ts';
import { listTables } from '../tables/markdown-tables.ts';

const HIGHEST =
  /\b(?:most|highest|largest|biggest|longest|greatest|latest|last|final|newest|youngest|heaviest|tallest|maximum|more|recent)\b/i;
const LOWEST =
  /\b(?:least|fewest|lowest|smallest|shortest|first|earliest|oldest|minimum|lightest|fastest|top|best)\b/i;
/** Words that ask for the first or last row where the question names no column of numbers. */
const IN_ORDER = /\b(?:first|earliest|top|best|last|latest|final|recent|oldest|newest)\b/i;
const ROWS_MIN = 3;
/** Words are compared without their last two letters, but by at least four. */
const STEM_CHARS_MIN = 4;
const ENDING_CHARS = 2;

type TablePart = { chunk: number; rows: string[][] };

/** Returns the places of the chunks with the extreme rows of each table of a page; none for other questions. */
export function findExtremeRows(chunks: readonly Chunk[], question: string): Set<number> {
  const found = new Set<number>();
  const isHighest = HIGHEST.test(question);
  if (!isHighest && !LOWEST.test(question)) return found;
  const asked = new Set(listStems(question));
  for (const [header, parts] of groupTableParts(chunks)) {
    const rows = parts.flatMap((part) => part.rows);
    const column = rows.length < ROWS_MIN ? -1 : findAskedColumn(header.split('\n'), rows, asked);
    if (column !== -1) {
      const numbers = rows.flatMap((row) => readNumber(row[column]) ?? []);
      const extreme = numbers.reduce((one, other) => (isHighest === one > other ? one : other));
      for (const part of parts)
        if (part.rows.some((row) => readNumber(row[column]) === extreme)) found.add(part.chunk);
    } else if (rows.length >= ROWS_MIN && IN_ORDER.test(question)) {
      const part = parts.at(isHighest ? -1 : 0);
      if (part !== undefined) found.add(part.chunk);
    }
  }
  return found;
}

/** Groups the parts of each table, which repeat its header. */
function groupTableParts(chunks: readonly Chunk[]): Map<string, TablePart[]> {
  const parts = new Map<string, TablePart[]>();
  for (const [chunk, { markdown }] of chunks.entries()) {
    if (!markdown.includes('|')) continue;
    for (const { columns, rows } of listTables(markdown)) {
      const header = columns.map(stripLinks).join('\n');
      const known = parts.get(header);
      if (known === undefined) parts.set(header, [{ chunk, rows }]);
      else known.push({ chunk, rows });
    }
  }
  return parts;
}

/** Finds the column whose name the question repeats most fully and whose cells are mostly numbers, or -1. */
function findAskedColumn(columns: string[], rows: string[][], asked: ReadonlySet<string>): number {
  let [best, bestShare] = [-1, 0];
  for (const [column, name] of columns.entries()) {
    const stems = listStems(name);
    const share = stems.filter((stem) => asked.has(stem)).length / Math.max(1, stems.length);
    if (share <= bestShare) continue;
    const numbers = rows.filter((row) => readNumber(row[column]) !== null).length;
    if (numbers >= rows.length / 2) [best, bestShare] = [column, share];
  }
  return best;
}

const listStems = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{3,40}/g) ?? []).map((word) =>
    word.slice(0, Math.max(STEM_CHARS_MIN, word.length - ENDING_CHARS)),
  );

/** Reads the first number of a cell, with commas between thousands; null without one. */
function readNumber(cell: string | undefined): number | null {
  const text = stripLinks(cell ?? '').replace(/\[\^[^\]\n]{1,40}\]/g, '');
  const digits = /-?\d[\d,]{0,30}(?:\.\d{1,30})?/.exec(text)?.[0];
  return digits === undefined ? null : Number(digits.replaceAll(',', ''));
}
