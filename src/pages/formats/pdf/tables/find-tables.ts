/**
 * Finds the tables of a page and puts each in the place of the lines that it is made of. Tables with drawn cells are built from the
 * lines of the drawing, others from the columns of white between their texts. What looks like a table but reads as running text,
 * such as a page of two columns, stays text.
 */
import type { Run } from '../glyphs.ts';
import type { Line, PdfTable } from '../page-lines.ts';
import { findAlignedTables } from './aligned-tables.ts';
import { type FramedTable, findRuledTables } from './ruled-tables.ts';
import type { Rulings } from './rulings.ts';
import { buildCellLines, splitWords } from './word-rows.ts';

/** Pages with more words are not searched for tables; a page of a book has 500. */
const WORDS_MAX = 20_000;

/** Replaces the lines of each table by one that holds the table. Monospaced lines are listings, unless the document is a typescript. */
export function placeTables(
  lines: Line[],
  { rulings, isTypescript }: { rulings: Rulings; isTypescript: boolean },
): Line[] {
  const page = lines[0]?.page ?? 1;
  const lineOf = new Map<Run, Line>();
  for (const line of lines) {
    if (lineOf.size > WORDS_MAX) return lines;
    for (const word of splitWords(line)) lineOf.set(word, line);
  }
  const words = [...lineOf.keys()];
  const { tables: ruled, drawings } = findRuledTables(words, rulings, page);
  const used = new Set(ruled.flatMap((each) => [...each.used]));
  const aligned = findAlignedTables(
    {
      lines,
      wordsOf: groupWords(
        words.filter((word) => !used.has(word)),
        lineOf,
      ),
      rulings,
      drawings,
      isTypescript,
    },
    page,
  );
  const tables = [...ruled, ...aligned];
  return tables.length === 0 ? lines : replaceLines(lines, { words, lineOf, tables });
}

function groupWords(words: Run[], lineOf: Map<Run, Line>): Map<Line, Run[]> {
  const groups = new Map<Line, Run[]>();
  for (const word of words) {
    const line = lineOf.get(word);
    if (line === undefined) continue;
    const group = groups.get(line);
    if (group === undefined) groups.set(line, [word]);
    else group.push(word);
  }
  return groups;
}

function replaceLines(
  lines: Line[],
  { words, lineOf, tables }: { words: Run[]; lineOf: Map<Run, Line>; tables: FramedTable[] },
): Line[] {
  const tableOf = new Map<Run, FramedTable>();
  for (const table of tables) for (const word of table.used) tableOf.set(word, table);
  const groups = groupWords(words, lineOf);
  const placed = new Set<FramedTable>();
  return lines.flatMap((line) => {
    const own = groups.get(line) ?? [];
    const outside = own.filter((word) => !tableOf.has(word));
    if (outside.length === own.length) return [line];
    const result = outside.length === 0 ? [] : buildCellLines(outside, line.page);
    for (const word of own) {
      const table = tableOf.get(word);
      if (table === undefined || placed.has(table)) continue;
      placed.add(table);
      result.push(...buildTableLines(table, line.page));
    }
    return result;
  });
}

function buildTableLines({ table, above, below }: FramedTable, page: number): Line[] {
  return [
    ...above.flatMap((row) => buildCellLines(row, page)),
    buildTableLine(table, page),
    ...below.flatMap((row) => buildCellLines(row, page)),
  ];
}

/** Builds the line that stands for a table: as high as the table, so that the order of reading holds. */
function buildTableLine(table: PdfTable, page: number): Line {
  const { x0, x1, y0, y1 } = table.area;
  return { runs: [], text: '', x0, x1, y: y0, size: y1 - y0, bold: false, mono: false, page, table };
}
