/**
 * Tables of pages in three frames: the share of the true cells that stand in the Markdown in their row and column, of tables found, and
 * of cells anywhere in the text, over 350 pages of an encyclopaedia with the true rows of one table each. All of them were looked at
 * while rules were written. Beside it trafilatura and markitdown (`peers/run-peer.ts`).
 *
 *   npm run eval:tables [-- --pages 50] [--worst 20]
 *
 * The folder of the set comes from EVAL_DATA.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { listTables } from '../src/text/tables/markdown-tables.ts';
import { runPeer } from './peers/run-peer.ts';

type TablePage = { id: string; title: string; html: string; rows: string[][] };
type PageShares = { id: string; inPlace: number; anywhere: number };

const FOUND_MIN = 0.5;
const LINKS = ['Home', 'News', 'Sport', 'Travel', 'Contact']
  .map((name) => `<li><a href="/${name.toLowerCase()}">${name}</a></li>`)
  .join('');
const FRAMES: Record<string, (page: TablePage) => string> = {
  'bare fragment': ({ html }) => html,
  'plain frame': ({ title, html }) =>
    `<html><head><title>${title}</title></head><body><nav><ul>${LINKS}</ul></nav><div id="main"><h1>${title}</h1>${html}</div></body></html>`,
  'present-day frame': ({ title, html }) =>
    `<!doctype html><html lang="en"><head><title>${title} | The Almanac</title></head><body class="layout"><div id="app"><div class="app-shell">
    <header class="site-header"><a class="logo" href="/">The Almanac</a><nav class="main-nav"><ul>${LINKS}</ul></nav></header>
    <div class="grid"><aside class="sidebar"><h3>Most read</h3><ul>${LINKS}</ul></aside><div class="col col-main"><div class="card"><div class="card-body">
    <h1 class="page-title">${title}</h1><div class="rich-text">${html}</div></div></div></div></div>
    <footer class="site-footer"><ul>${LINKS}</ul><p>© The Almanac. All rights reserved.</p></footer></div></div></body></html>`,
};

const { values } = parseArgs({
  options: { worst: { type: 'string', default: '0' }, pages: { type: 'string', default: '350' } },
});
const pages = readJsonLines<TablePage>(
  join(process.env.EVAL_DATA ?? '../shared/data', 'wtq_dev/pages.jsonl.gz'),
).slice(0, Number(values.pages));

console.log(`${'frame, reader'.padEnd(34)} pages  cells in place  tables found  cells anywhere`);
for (const [name, frame] of Object.entries(FRAMES)) {
  const htmls = pages.map(frame);
  const ours = htmls.map(
    (html, at) => extractHtml(html, `https://almanac.example/${pages[at]?.id}`).markdown,
  );
  const shares = report(`${name}, this`, ours);
  const worst = shares.toSorted((one, other) => one.inPlace - other.inPlace).slice(0, Number(values.worst));
  for (const { id, inPlace, anywhere } of worst)
    console.log(
      `  ${id}: ${(100 * inPlace).toFixed(0)} % in place, ${(100 * anywhere).toFixed(0)} % anywhere`,
    );
  for (const peer of ['trafilatura-markdown', 'markitdown-markdown']) {
    const markdowns = runPeer<string>(peer, htmls);
    if (markdowns !== null) report(`${name}, ${peer.replace('-markdown', '')}`, markdowns);
  }
}

function report(name: string, markdowns: string[]): PageShares[] {
  const shares = pages.map((page, at) => measure(page, markdowns[at] ?? ''));
  const mean = (of: (share: PageShares) => number): string =>
    ((100 * shares.reduce((sum, share) => sum + of(share), 0)) / shares.length).toFixed(1);
  console.log(
    `${name.padEnd(34)} ${String(shares.length).padStart(5)} ${mean(({ inPlace }) => inPlace).padStart(15)} ${mean(({ inPlace }) => Number(inPlace >= FOUND_MIN)).padStart(13)} ${mean(({ anywhere }) => anywhere).padStart(15)}`,
  );
  return shares;
}

function measure({ id, rows }: TablePage, markdown: string): PageShares {
  const cells = dropUntoldCells(rows.map((row) => row.map(normalize))).flatMap((row, at) =>
    row.map((text, column) => ({ text, at, column })),
  );
  const told = cells.filter(({ text }) => text !== '');
  const countIn = (table: string[][]): number =>
    told.filter(({ text, at, column }) => table[at]?.[column] === text).length;
  const best = Math.max(0, ...listCells(markdown).map(dropUntoldCells).map(countIn));
  const all = normalize(markdown);
  const anywhere = told.filter(({ text }) => all.includes(text)).length;
  return { id, inPlace: best / Math.max(1, told.length), anywhere: anywhere / Math.max(1, told.length) };
}

function listCells(markdown: string): string[][][] {
  return listTables(markdown).map(({ columns, rows }) => [columns, ...rows].map((row) => row.map(normalize)));
}

/**
 * Drops what the true rows leave out, from them and from every reader's alike: columns that show only pictures below their header, rows that
 * only name the group of those below, and the empty header of a table without one.
 */
function dropUntoldCells(table: string[][]): string[][] {
  const rows = table.filter((row) => row.length < 3 || new Set(row.filter((cell) => cell !== '')).size > 1);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const filled = Array.from({ length: columns }, (_, column) =>
    rows.slice(1).some((row) => (row[column] ?? '') !== ''),
  );
  return rows.map((row) => row.filter((_, column) => filled[column]));
}

/** Letters and digits only, without the addresses of links and pictures. */
function normalize(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, '')
    .replace(/\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, '')
    .replace(/<br\s*\/?>/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
