import { readFileSync } from 'node:fs';
import { openVectors, type WordVectors } from './word-vectors.ts';

let opened: WordVectors | null = null;

/** The vectors of the commonest English stems, from the table in models/; read once per thread. */
export function englishVectors(): WordVectors {
  opened ??= openVectors(
    readFileSync(new URL('../../../models/word-vectors/word-vectors.bin', import.meta.url)),
  );
  return opened;
}
