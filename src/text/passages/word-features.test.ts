import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Chunk } from '../chunk/chunk-markdown.ts';
import { readQuery } from '../query/read-query.ts';
import { readChunks } from './chunk-terms.ts';
import { findQueryHits } from './query-hits.ts';
import { scoreNames } from './word-features.ts';

const namedBy = (question: string, texts: [markdown: string, ...headingPath: string[]][]) => {
  const chunks = texts.map(
    ([markdown, ...headingPath]): Chunk => ({ markdown, headingPath, start: 0, end: markdown.length }),
  );
  const page = readChunks(chunks, 'en');
  const query = readQuery(question).forPassages('en');
  return scoreNames(page, query, findQueryHits(page, query));
};

describe('named', () => {
  test('the entry whose own term is asked for is named better than one that mentions it', () => {
    const fits = namedBy('default of work_mem', [
      ['- **hash_mem_multiplier**: Multiplies work_mem for hash tables. The default is 2.'],
      ['- **work_mem**: Memory for each operation. The default is 4MB.'],
    ]);
    assert.ok((fits[1] ?? 0) > 3 * (fits[0] ?? 0), `${fits}`);
  });

  test('a name with fewer words that nobody asked for fits better', () => {
    const fits = namedBy('vacuum', [
      ['It rebuilds the file.', 'Vacuum'],
      ['It rebuilds the file.', 'Vacuum with an address of a file'],
    ]);
    assert.equal(fits[0], 1);
    assert.ok((fits[1] ?? 0) < 1 && (fits[1] ?? 0) > 0);
  });
});
