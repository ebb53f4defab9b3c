import { writeFileSync } from 'node:fs';
import { FEATURE_NAMES } from '../../src/pages/extract/content/features/table.ts';
import { type BoostOptions, type BoostTask, binned, type GrownTree } from './boost.ts';
import { printHeldOut } from './held-out.ts';
import { inThread } from './in-threads.ts';
import { FOLDS, trainingRows } from './training-rows.ts';

/**
 * Trains the forest that tells content from the rest: `node bench/extract/train.ts [--write] [--skip-folds]`.
 * First, five models are each trained without a fifth of the sites and judged on those: the honest figure. With `--write`, a
 * model of all pages that may be fitted replaces the one in use. Trains in threads, all models at once.
 */
const SETS = [
  ['wcxb_dev', 1],
  ['older_articles', 1],
  ['cleaneval_final', 0.6],
] as const;
const MODEL_FILE = new URL('../../src/pages/extract/content/model-table.ts', import.meta.url);
const OPTIONS: BoostOptions = {
  trees: 250,
  leaves: 31,
  rate: 0.1,
  rowShare: 0.7,
  columnShare: 0.3,
  hessianMin: 8,
  ridge: 5,
  seed: 7,
};

const rows = await trainingRows(SETS);
const data = binned(rows.table, FEATURE_NAMES.length);
console.log(`${rows.pages} pages, ${data.rows} blocks drawn, ${data.columns} features`);
const folds = process.argv.includes('--skip-folds') ? [] : [...Array(FOLDS).keys()];
const [whole, ...forests] = await Promise.all([
  process.argv.includes('--write') ? trainedOn(() => true) : null,
  ...folds.map((fold) => trainedOn((each) => each !== fold)),
]);
if (whole != null) {
  writeFileSync(
    MODEL_FILE,
    `/** Written by bench/extract/train.ts; see forest.ts for the format. */\nexport const MODEL =\n  '${whole}';\n`,
  );
  console.log(`model: ${whole.length} characters`);
}
if (folds.length > 0)
  await printHeldOut(
    SETS.map(([set]) => set),
    forests.filter((forest) => forest !== null),
  );

/** The model of the rows in these folds. */
async function trainedOn(fits: (fold: number) => boolean): Promise<string> {
  const wanted = Int32Array.from([...rows.folds.keys()].filter((row) => fits(rows.folds[row] ?? 0)));
  const task: BoostTask = { data, rows: wanted, target: rows, options: OPTIONS };
  return encoded(await inThread<GrownTree[]>(new URL('./boost.ts', import.meta.url), 'boostTask', task));
}

/** Trees -> the format that `readForest` reads. */
function encoded(trees: GrownTree[]): string {
  const nodes = trees.flatMap(({ feature, threshold, value }) =>
    feature.map((column, node) => ({ column, number: (column < 0 ? value[node] : threshold[node]) ?? 0 })),
  );
  const bytes = Buffer.alloc(nodes.length * 6);
  for (const [index, { column, number }] of nodes.entries()) {
    bytes.writeUInt16LE(column < 0 ? 0xffff : column, index * 6);
    bytes.writeFloatLE(number, index * 6 + 2);
  }
  return bytes.toString('base64');
}
