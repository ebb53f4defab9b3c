import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURE_NAMES } from '../../src/retrieval/extract/content/features/table.ts';
import { type Forest, predict, readForest } from '../../src/retrieval/extract/content/forest.ts';
import { type Binned, type BoostOptions, binned, boost, type GrownTree } from './boost.ts';
import { FOLDS, type TrainingRows, trainingRows } from './training-rows.ts';

/**
 * Trains the forest that tells content from the rest. `node bench/extract/train.ts <outDir>` writes the probabilities
 * of 5 models, each for the sites it has not seen (held-out.json), and the model of all pages (model-table.ts).
 */
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

const outFolder = process.argv[2] ?? '.';
const rows = await trainingRows('wcxb_dev');
const data = binned(rows.table, FEATURE_NAMES.length);
console.log(`${rows.pages.length} pages, ${data.rows} blocks, ${data.columns} features`);
if (!process.argv.includes('--model-only')) crossValidate(rows, data);
if (!process.argv.includes('--folds-only')) {
  const forest = encoded(
    boost(
      data,
      rowsWhere(rows, () => true),
      rows,
      OPTIONS,
    ),
  );
  writeFileSync(
    join(outFolder, 'model-table.ts'),
    `/** Written by bench/extract/train.ts; see forest.ts for the format. */\nexport const MODEL =\n  '${forest}';\n`,
  );
  console.log(`model: ${forest.length} characters`);
}

function crossValidate(rows: TrainingRows, data: Binned): void {
  const heldOut: Record<string, number[]> = {};
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const started = performance.now();
    const trees = boost(
      data,
      rowsWhere(rows, (each) => each !== fold),
      rows,
      OPTIONS,
    );
    const forest: Forest = readForest(encoded(trees));
    for (const { id, fold: own, from, to } of rows.pages) {
      if (own !== fold) continue;
      const part = rows.table.subarray(from * data.columns, to * data.columns);
      heldOut[id] = [...predict(forest, part, data.columns)].map((p) => Math.round(p * 1e4) / 1e4);
    }
    console.log(`fold ${fold + 1}: ${Math.round((performance.now() - started) / 1000)} s`);
  }
  writeFileSync(join(outFolder, 'held-out.json'), JSON.stringify(heldOut));
}

function rowsWhere({ pages }: TrainingRows, fits: (fold: number) => boolean): Int32Array {
  const wanted: number[] = [];
  for (const { fold, from, to } of pages)
    if (fits(fold)) for (let row = from; row < to; row += 1) wanted.push(row);
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
