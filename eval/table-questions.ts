/**
 * Questions about tables, asked over HTTP: of those whose answer is a cell of one or more rows, how often such a row is in the first
 * highlight of the page, and in the first three, with the header of its table. Questions about the set's pages that no cell answers
 * (counts, differences) are left out. A twelfth of the questions is judged, by a hash of their ids; another twelfth (`--seen`) may be
 * looked at while the order of highlights is changed.
 *
 *   npm run eval:table-questions [-- --seen] [--misses 20]
 *
 * The folder of the set comes from EVAL_DATA.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { listTables } from '../src/text/tables/markdown-tables.ts';
import { servePages } from './prune/served-pages.ts';

type TablePage = { id: string; title: string; html: string; rows: string[][] };
type TableQuestion = { id: string; question: string; page: string; answers: string[] };

const PARTS = 12;
const SHOWN = 3;

const { values } = parseArgs({
  options: { seen: { type: 'boolean', default: false }, misses: { type: 'string', default: '0' } },
});
const folder = join(process.env.EVAL_DATA ?? '../shared/data', 'wtq_dev');
const pages = new Map(
  readJsonLines<TablePage>(join(folder, 'pages.jsonl.gz')).map((page) => [page.id, page]),
);
const part = values.seen ? 1 : 0;
const questions = readJsonLines<TableQuestion>(join(folder, 'questions.jsonl.gz')).filter(
  ({ id }) => createHash('sha256').update(id).digest().readUInt32BE() % PARTS === part,
);

const served = await servePages();
const ranks: { rank: number; isOnlyRow: boolean }[] = [];
let misses = Number(values.misses);
for (const { question, page: id, answers } of questions) {
  const page = pages.get(id);
  if (page === undefined) continue;
  const wanted = answers.map(normalize);
  const rows = page.rows.slice(1).filter((row) => row.some((cell) => wanted.includes(normalize(cell))));
  if (rows.length === 0) continue;
  const html = `<html><head><title>${page.title}</title></head><body><h1>${page.title}</h1>${page.html}</body></html>`;
  const highlights = await served.highlight(html, question, SHOWN);
  const rank = highlights.findIndex((highlight) => rows.some((row) => hasRow(highlight, row)));
  ranks.push({ rank: rank === -1 ? SHOWN : rank, isOnlyRow: rows.length === 1 });
  if (rank !== 0 && misses > 0) {
    misses -= 1;
    console.log(`\n# ${id}: ${question} -> ${answers.join(', ')} (${rows.length} rows, rank ${rank})`);
    console.log(`${rows[0]?.join(' | ')}\n--- first highlight\n${highlights[0]?.slice(0, 900)}`);
  }
}
await served.close();

console.log(`${'questions answered by'.padEnd(24)} number  in the first  in three`);
report('one row or several', ranks);
report(
  'one row only',
  ranks.filter(({ isOnlyRow }) => isOnlyRow),
);

function report(name: string, asked: typeof ranks): void {
  const share = (within: number): string =>
    ((100 * asked.filter(({ rank }) => rank < within).length) / asked.length).toFixed(1);
  console.log(
    `${name.padEnd(24)} ${String(asked.length).padStart(6)} ${share(1).padStart(13)} ${share(SHOWN).padStart(9)}`,
  );
}

/** Returns whether a highlight has a row: most of its cells that hold text stand in one line of a table there. */
function hasRow(highlight: string, row: string[]): boolean {
  const cells = row.map(normalize).filter((cell) => cell !== '');
  return listTables(highlight).some(({ rows }) =>
    rows.some((line) => {
      const shown = line.map(normalize);
      return cells.filter((cell) => shown.includes(cell)).length > cells.length / 2;
    }),
  );
}

function normalize(text: string): string {
  return text
    .replace(/\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, '')
    .replace(/<br\s*\/?>/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
