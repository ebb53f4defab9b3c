/**
 * Measures what the reader of PDFs keeps: npm run eval:pdf -- FOLDER, with PDFs of known text that eval/pdf/make-pdfs.ts made. For
 * each writer of the PDFs: the share of the known words that stand in the Markdown in their order, the share of the Markdown's
 * words that are known, headings found, CPU per page. `--worst 10` lists documents.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readPdf } from '../src/pages/formats/pdf/read-pdf.ts';
import type { KnownText } from './pdf/make-pdfs.ts';
import { commonInOrder, orderedWords } from './pdf/words-in-order.ts';

type Row = {
  name: string;
  writer: string;
  common: number;
  known: number;
  written: number;
  headings: number;
  found: number;
};

const [folder, option, worst] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: npm run eval:pdf -- FOLDER [--worst 10]');
await measure(folder, option === '--worst' ? Number(worst) : 0);

async function measure(from: string, listed: number): Promise<void> {
  const rows: Row[] = [];
  const since = process.cpuUsage();
  for (const name of globSync('*.pdf', { cwd: from }).sort()) rows.push(await measureOne(join(from, name)));
  const { user, system } = process.cpuUsage(since);
  console.log(`${'writer'.padEnd(12)}    n   words kept   of written   headings`);
  for (const [writer, group] of [...Map.groupBy(rows, (row) => row.writer), ['all', rows] as const])
    console.log(
      [
        writer.padEnd(12),
        String(group.length).padStart(4),
        percent(group, 'common', 'known').padStart(12),
        percent(group, 'common', 'written').padStart(12),
        percent(group, 'found', 'headings').padStart(10),
      ].join(' '),
    );
  console.log(`${Math.round((user + system) / 1_000)} ms of CPU time, measuring included`);
  const lost = ({ common, known }: Row): number => 1 - common / known;
  for (const row of rows.sort((a, b) => lost(b) - lost(a)).slice(0, listed))
    console.log(row.name, `${(100 * lost(row)).toFixed(1)} % lost, headings ${row.found} of ${row.headings}`);
}

function percent(rows: readonly Row[], part: keyof Row, whole: keyof Row): string {
  const sum = (key: keyof Row): number => rows.reduce((total, row) => total + Number(row[key]), 0);
  return `${((100 * sum(part)) / sum(whole)).toFixed(2)} %`;
}

async function measureOne(file: string): Promise<Row> {
  // Written by make-pdfs.ts.
  const known = JSON.parse(readFileSync(file.replace(/pdf$/, 'json'), 'utf8')) as KnownText;
  const { markdown, headings } = await readPdf(
    new Uint8Array(readFileSync(file)),
    'https://e.org/document.pdf',
  );
  const words = orderedWords(known.text);
  const written = orderedWords(plainText(markdown));
  const found = new Set(headings.map(letters));
  return {
    name: basename(file),
    writer: known.writer,
    known: words.length,
    written: written.length,
    common: commonInOrder(words, written),
    headings: known.headings.length,
    found: known.headings.filter((heading) => found.has(letters(heading))).length,
  };
}

/** Markdown without addresses, tags and the lines that name pages; its other marks are no words. */
function plainText(markdown: string): string {
  return markdown
    .replace(/^\[Page \d+\]\(\S+\)$/gm, '')
    .replace(/\]\((?:[^\s()]|\([^\s()]*\))*\)/g, ']')
    .replace(/<\/?[a-z]+>/g, ' ')
    .replace(/&[a-z]+;/g, ' ');
}

function letters(text: string): string {
  return orderedWords(text).join('');
}
