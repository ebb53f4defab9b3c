/**
 * Packs trained token vectors into the table in models/: `node eval/embeddings/pack-table.ts VECTORS TOKENIZER [DIMENSIONS]`.
 * VECTORS: a float32 array of NumPy (`.npy`), tokens x dimensions, as `train-vectors.py` writes it. TOKENIZER: the `tokenizer.json`
 * of its vocabulary. Tokens that stand for no text are left out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { packTable, quantizeRows } from '../../src/text/embeddings/token-table.ts';

const TABLE = new URL('../../models/token-vectors/token-vectors.bin', import.meta.url);

const [vectorsFile, tokenizerFile, most] = process.argv.slice(2);
if (vectorsFile === undefined || tokenizerFile === undefined)
  throw new Error('usage: node eval/embeddings/pack-table.ts VECTORS TOKENIZER [DIMENSIONS]');
const { values, columns } = readNpy(readFileSync(vectorsFile));
const vocabulary: Record<string, number> = JSON.parse(readFileSync(tokenizerFile, 'utf8')).model.vocab;
const kept = Object.entries(vocabulary)
  .filter(([token]) => token === '[UNK]' || !/^\[[^\]]+\]$/.test(token))
  .sort(([, left], [, right]) => left - right);
const dimensions = Math.min(columns, Number(most ?? columns));
const rows = new Float32Array(kept.length * dimensions);
for (const [row, [, id]] of kept.entries())
  rows.set(values.subarray(id * columns, id * columns + dimensions), row * dimensions);
const bytes = packTable(
  kept.map(([token]) => token),
  quantizeRows(rows, dimensions),
);
writeFileSync(TABLE, bytes);
console.log(`${kept.length} tokens, ${dimensions} dimensions, ${bytes.length} bytes`);

/** Version 1 of the format, float32, rows one after the other. */
function readNpy(file: Buffer): { values: Float32Array; columns: number } {
  const start = 10 + file.readUInt16LE(8);
  const head = file.toString('latin1', 10, start);
  const [, columns] = /'<f4', 'fortran_order': False, 'shape': \(\d+, (\d+)\)/.exec(head) ?? [];
  if (columns === undefined) throw new Error(`not a float32 matrix in rows: ${head.trim()}`);
  const own = file.buffer.slice(file.byteOffset + start, file.byteOffset + file.length);
  return { values: new Float32Array(own), columns: Number(columns) };
}
