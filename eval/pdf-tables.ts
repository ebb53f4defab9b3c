/**
 * Tables of PDFs: how many of the true neighbours in 69 tables of 31 public documents stand beside or below each other in the Markdown
 * (the adjacency relations of the ICDAR 2013 table competition: a cell and the nearest cell with text to its right and below, compared
 * without white space), how many tables are found, and how many are whole: every cell in its row and column. Half of the files, by a
 * hash of their names, are not looked at while the rules are written. Beside it pdfplumber.
 *
 *   npm run eval:pdf-tables [-- --worst 20] [--show us-001]
 *
 * The folder of the set comes from EVAL_DATA.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { readPdf } from '../src/pages/formats/pdf/read-pdf.ts';
import { listTables } from '../src/text/tables/markdown-tables.ts';
import { runPeer } from './peers/run-peer.ts';

type TrueCell = { r: number; c: number; r2: number; c2: number; text: string };
type TrueTable = { pdf: string; table: number; rows: number; cols: number; cells: TrueCell[] };
type Grid = string[][];
type Measure = {
  name: string;
  kept: number;
  told: number;
  truths: number;
  found: number;
  whole: number;
  tables: number;
};

/** A table is found when one table of the output holds this share of its relations. */
const FOUND_MIN = 0.5;
/** A table that repeats this share of another's relations is a second reading of the same table; the better one counts. */
const SAME_MIN = 0.5;

const { values } = parseArgs({
  options: {
    worst: { type: 'string', default: '0' },
    show: { type: 'string' },
  },
});
const folder = join(process.env.EVAL_DATA ?? '../shared/data', 'icdar13_dev');
const truth = Map.groupBy(readJsonLines<TrueTable>(join(folder, 'tables.jsonl.gz')), ({ pdf }) => pdf);
const isUnseen = (name: string): boolean => (createHash('sha256').update(name).digest()[0] ?? 0) % 2 === 1;

console.log(`${'reader'.padEnd(24)} files  tables  recall  precision  found  whole`);
const ours = new Map<string, Grid[]>();
for (const name of truth.keys()) {
  const bytes = new Uint8Array(readFileSync(join(folder, 'pdf', name)));
  const { markdown } = await readPdf(bytes, `https://example.org/${name}`);
  if (values.show !== undefined && name.startsWith(values.show)) console.log(markdown);
  // A table without a header has an empty one.
  const tables = listTables(markdown).map(({ columns, rows }) =>
    [columns, ...rows].map((row) => row.map(stripMarkup)),
  );
  ours.set(
    name,
    tables.map((table) => table.filter((row, at) => at > 0 || row.some((text) => text !== ''))),
  );
}
report('this', ours);
const names = [...truth.keys()];
const grids = runPeer<Grid[]>(
  'pdfplumber-tables',
  names.map((name) => join(folder, 'pdf', name)),
);
if (grids !== null)
  report(
    'pdfplumber',
    new Map(
      names.map((name, at) => [
        name,
        (grids[at] ?? []).map((grid) => grid.map((row) => row.map(stripMarkup))),
      ]),
    ),
  );

function report(reader: string, output: Map<string, Grid[]>): void {
  const measures = [...truth].map(([name, tables]) => measure(name, tables, output.get(name) ?? []));
  for (const [half, kept] of [
    ['seen', measures.filter(({ name }) => !isUnseen(name))],
    ['unseen', measures.filter(({ name }) => isUnseen(name))],
    ['all', measures],
  ] as const) {
    const sum = (of: keyof Omit<Measure, 'name'>): number =>
      kept.reduce((total, each) => total + each[of], 0);
    const share = (part: number, whole: number): string => ((100 * part) / Math.max(1, whole)).toFixed(1);
    console.log(
      `${`${reader}, ${half}`.padEnd(24)} ${String(kept.length).padStart(5)} ${String(sum('tables')).padStart(7)} ${share(sum('kept'), sum('truths')).padStart(7)} ${share(sum('kept'), sum('told')).padStart(10)} ${String(sum('found')).padStart(6)} ${String(sum('whole')).padStart(6)}`,
    );
  }
  const lost = ({ truths, told, kept }: Measure): number => truths + told - 2 * kept;
  for (const each of measures
    .filter(({ name }) => !isUnseen(name))
    .toSorted((one, other) => lost(other) - lost(one))
    .slice(0, Number(values.worst)))
    console.log(
      `  ${each.name}: ${each.kept} of ${each.truths}, ${each.told} told, ${each.found}/${each.whole} of ${each.tables} found/whole`,
    );
}

function measure(name: string, tables: TrueTable[], output: Grid[]): Measure {
  const told = output.map((grid) => countRelations(listGridCells(grid)));
  const sum: Measure = {
    name,
    kept: 0,
    told: told.reduce((total, each) => total + countAll(each), 0),
    truths: 0,
    found: 0,
    whole: 0,
    tables: 0,
  };
  const left = mergeCounts(told);
  for (const table of dropSecondReadings(tables, left)) {
    const relations = countRelations(table.cells.map((cell) => ({ ...cell, text: normalize(cell.text) })));
    sum.tables += 1;
    sum.truths += countAll(relations);
    sum.kept += takeShared(relations, left);
    const best = Math.max(0, ...told.map((each) => countShared(relations, each)));
    if (best >= FOUND_MIN * countAll(relations)) sum.found += 1;
    if (output.some((grid) => isWhole(table, grid))) sum.whole += 1;
  }
  return sum;
}

/** Of two readings of one table, keeps the one nearer to the output. */
function dropSecondReadings(tables: TrueTable[], output: Map<string, number>): TrueTable[] {
  const relationsOf = ({ cells }: TrueTable): Map<string, number> =>
    countRelations(cells.map((cell) => ({ ...cell, text: normalize(cell.text) })));
  const kept: TrueTable[] = [];
  for (const table of tables) {
    const own = relationsOf(table);
    const at = table.pdf.endsWith('a.pdf')
      ? kept.findIndex((other) => countShared(own, relationsOf(other)) >= SAME_MIN * countAll(own))
      : -1;
    const other = kept[at];
    if (other === undefined) kept.push(table);
    else if (countShared(own, output) > countShared(relationsOf(other), output)) kept[at] = table;
  }
  return kept;
}

/** Checks that every cell with text stands in its row and column; a spanned text may be repeated, and empty rows and columns are left out. */
function isWhole({ rows, cols, cells }: TrueTable, grid: Grid): boolean {
  const told = dropEmpty(grid);
  const first: Grid = Array.from({ length: rows }, () => Array<string>(cols).fill(''));
  const spread: Grid = first.map((row) => [...row]);
  for (const { r, c, r2, c2, text } of cells)
    for (let row = r; row <= r2; row += 1)
      for (let column = c; column <= c2; column += 1) {
        const line = spread[row];
        const own = first[row];
        if (line !== undefined) line[column] = normalize(text);
        if (own !== undefined && row === r && column === c) own[column] = normalize(text);
      }
  const [once, repeated] = [dropEmpty(first), dropEmpty(spread)];
  return (
    JSON.stringify(told) === JSON.stringify(once) ||
    isEither(told, first, spread) ||
    JSON.stringify(told) === JSON.stringify(repeated)
  );
}

function isEither(told: Grid, first: Grid, spread: Grid): boolean {
  return (
    told.length === first.length &&
    told.every(
      (row, r) =>
        row.length === first[r]?.length &&
        row.every((text, c) => text === spread[r]?.[c] || (text === '' && first[r]?.[c] === '')),
    ) &&
    first.every((row, r) => row.every((text, c) => text === '' || told[r]?.[c] === text))
  );
}

function dropEmpty(grid: Grid): Grid {
  const rows = grid.filter((row) => row.some((text) => text !== ''));
  const columns = [...(rows[0] ?? []).keys()].filter((column) =>
    rows.some((row) => (row[column] ?? '') !== ''),
  );
  return rows.map((row) => columns.map((column) => row[column] ?? ''));
}

function listGridCells(grid: Grid): TrueCell[] {
  return grid.flatMap((row, r) => row.map((text, c): TrueCell => ({ r, c, r2: r, c2: c, text })));
}

/** Counts the relations of cells with text; equal neighbours are left out, since Markdown repeats a text that spans columns. */
function countRelations(cells: TrueCell[]): Map<string, number> {
  const places = new Map<string, TrueCell>();
  let [rows, columns] = [0, 0];
  for (const cell of cells) {
    if (cell.text === '') continue;
    for (let r = cell.r; r <= cell.r2; r += 1)
      for (let c = cell.c; c <= cell.c2; c += 1) places.set(`${r} ${c}`, cell);
    rows = Math.max(rows, cell.r2 + 1);
    columns = Math.max(columns, cell.c2 + 1);
  }
  const pairs = new Map<TrueCell, Set<string>>();
  const addPair = (from: TrueCell, to: TrueCell, direction: string): void => {
    if (from === to || from.text === to.text) return;
    const own = pairs.get(from) ?? new Set();
    own.add(JSON.stringify([direction, from.text, to.text, to.r, to.c]));
    pairs.set(from, own);
  };
  const walk = (
    outer: number,
    inner: number,
    placeOf: (o: number, i: number) => string,
    direction: string,
  ): void => {
    for (let o = 0; o < outer; o += 1) {
      let before: TrueCell | undefined;
      for (let i = 0; i < inner; i += 1) {
        const cell = places.get(placeOf(o, i));
        if (cell === undefined) continue;
        if (before !== undefined) addPair(before, cell, direction);
        before = cell;
      }
    }
  };
  walk(rows, columns, (r, c) => `${r} ${c}`, 'right');
  walk(columns, rows, (c, r) => `${r} ${c}`, 'below');
  const counts = new Map<string, number>();
  for (const own of pairs.values())
    for (const pair of own) {
      const key = JSON.stringify((JSON.parse(pair) as unknown[]).slice(0, 3));
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}

function countAll(counts: Map<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function countShared(one: Map<string, number>, other: Map<string, number>): number {
  return [...one].reduce((sum, [key, count]) => sum + Math.min(count, other.get(key) ?? 0), 0);
}

/** Counts shared relations and takes them from those left for other tables. */
function takeShared(one: Map<string, number>, left: Map<string, number>): number {
  let shared = 0;
  for (const [key, count] of one) {
    const taken = Math.min(count, left.get(key) ?? 0);
    shared += taken;
    left.set(key, (left.get(key) ?? 0) - taken);
  }
  return shared;
}

function mergeCounts(all: Map<string, number>[]): Map<string, number> {
  const merged = new Map<string, number>();
  for (const counts of all)
    for (const [key, count] of counts) merged.set(key, (merged.get(key) ?? 0) + count);
  return merged;
}

/** The text of a cell without its Markdown. */
function stripMarkup(text: string): string {
  return normalize(
    text
      .replace(/\[([^\]]*)\]\((?:[^()\\]|\\.)*\)/g, '$1')
      .replace(/<br\s*\/?>/g, ' ')
      .replace(/\\([^\w\s])/g, '$1')
      .replace(/\*\*|`/g, ''),
  );
}

/** Drops white space, hyphens of broken words, and marks of emphasis, and unifies dashes and bullets, which have several spellings. */
function normalize(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/-\s*\n\s*(?=\p{Ll})/gu, '')
    .replace(/[\p{Dash}\u00ad]/gu, '-')
    .replace(/[\s\p{Co}*•●]/gu, '')
    .toLowerCase();
}
