import { writeFileSync } from 'node:fs';
import { FEATURE_NAMES } from '../../src/pages/extract/content/features/table.ts';
import { predict, readForest } from '../../src/pages/extract/content/forest.ts';
import { type Binned, type BoostOptions, binned, boost, type GrownTree } from './boost.ts';
import { printHeldOut } from './held-out.ts';
import { FOLDS, type TrainingRows, trainingRows } from './training-rows.ts';

/**
 * Trains the forest that tells content from the rest: `node bench/extract/train.ts [--write] [--skip-folds]`.
 * First, five models are each trained without a fifth of the sites and judged on those: the honest figure. With `--write`, a
 * model of all pages replaces the one in use. Takes about ten minutes and 2 GB.
 */
const SET = 'wcxb_dev';
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

const rows = await trainingRows(SET);
const data = binned(rows.table, FEATURE_NAMES.length);
console.log(`${rows.pages.length} pages, ${data.rows} blocks, ${data.columns} features`);
if (!process.argv.includes('--skip-folds')) await printHeldOut(SET, crossValidated(rows, data));
if (process.argv.includes('--write')) {
  const everyRow = rowsWhere(rows, () => true);
  const forest = encoded(boost(data, everyRow, rows, OPTIONS));
  writeFileSync(
    MODEL_FILE,
    `/** Written by bench/extract/train.ts; see forest.ts for the format. */\nexport const MODEL =\n  '${forest}';\n`,
  );
  console.log(`model: ${forest.length} characters`);
}

/** For each page, the probabilities of its blocks by the model that has not seen its site. */
function crossValidated(rows: TrainingRows, data: Binned): Map<string, Float32Array> {
  const heldOut = new Map<string, Float32Array>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const seen = rowsWhere(rows, (each) => each !== fold);
    const forest = readForest(encoded(boost(data, seen, rows, OPTIONS)));
    for (const { id, fold: own, from, to } of rows.pages) {
      if (own !== fold) continue;
      const part = rows.table.subarray(from * data.columns, to * data.columns);
      heldOut.set(id, predict(forest, part, data.columns));
    }
    console.log(`fold ${fold + 1} of ${FOLDS}`);
  }
  return heldOut;
}

function rowsWhere({ pages }: TrainingRows, fits: (fold: number) => boolean): Int32Array {
  const wanted: number[] = [];
  for (const { fold, from, to } of pages) {
    if (fits(fold)) for (let row = from; row < to; row += 1) wanted.push(row);
  }
  return Int32Array.from(wanted);
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
