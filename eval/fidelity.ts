import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLines } from '../bench/extract/json-lines.ts';
import { dataFolder } from '../bench/extract/pages.ts';
import { type Fidelity, pageFidelity } from './fidelity/page-fidelity.ts';

/**
 * What the Markdown keeps of the kept part of every page of every set: characters of code, cells of tables, players and formulas;
 * and whether fences are closed, tables rectangular and the result the same twice. `--set wcxb_dev`, `--pages 100` for each set.
 */
const KINDS = ['code', 'cells', 'embeds', 'formulas'] as const;
const options = process.argv.slice(2);
const value = (name: string): string | undefined => options[options.indexOf(name) + 1];
const only = options.includes('--set') ? value('--set') : undefined;
const pagesMax = options.includes('--pages') ? Number(value('--pages')) : Number.POSITIVE_INFINITY;

console.log('set                     pages      code     cells    embeds  formulas   faults   differ');
const folder = dataFolder();
for (const set of readdirSync(folder)) {
  const file = join(folder, set, 'pages.jsonl.gz');
  if (existsSync(file) && (only === undefined || only === set)) await measure(set, file);
}

async function measure(set: string, file: string): Promise<void> {
  const sums = { code: [0, 0], cells: [0, 0], embeds: [0, 0], formulas: [0, 0] };
  let pages = 0;
  let faults = 0;
  let differ = 0;
  for await (const page of jsonLines(file)) {
    // The README of the set names the fields.
    const { id, url, html } = page as { id: string; url: string | null; html: string | undefined };
    // A set of questions has texts instead of pages.
    if (html === undefined || pages >= pagesMax) break;
    const address = url !== null && URL.canParse(url) ? url : 'http://unknown.invalid/page';
    const found = pageFidelity(html, address);
    pages += 1;
    for (const kind of KINDS) add(sums[kind], found[kind]);
    if (found.faults.length > 0) {
      faults += 1;
      console.log(`${id}: ${found.faults[0]}`);
    }
    if (pageFidelity(html, address).markdown !== found.markdown) differ += 1;
  }
  const shares = KINDS.map((kind) => {
    const [found = 0, wanted = 0] = sums[kind];
    return (wanted === 0 ? '-' : `${((100 * found) / wanted).toFixed(1)} %`).padStart(10);
  });
  console.log(
    set.padEnd(22),
    String(pages).padStart(6),
    ...shares,
    String(faults).padStart(7),
    String(differ).padStart(8),
  );
}

function add(sum: number[], { found, wanted }: Fidelity['code']): void {
  sum[0] = (sum[0] ?? 0) + found;
  sum[1] = (sum[1] ?? 0) + wanted;
}
