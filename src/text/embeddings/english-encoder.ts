import { readFileSync } from 'node:fs';
import { createStaticEncoder, type Encoder } from './static-encoder.ts';
import { openTable } from './token-table.ts';

const TABLE = new URL('../../../models/token-vectors/token-vectors.bin', import.meta.url);

let english: Encoder | null = null;

/** The static model in models/, for English; read once per thread (8 MB, about 30 ms). */
export function englishEncoder(): Encoder {
  english ??= createStaticEncoder(openTable(readFileSync(TABLE)));
  return english;
}
