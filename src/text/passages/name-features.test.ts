import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Chunk } from '../chunk/chunk.ts';
import { readQuery } from '../query/read-query.ts';
import { readChunks } from './chunk-terms.ts';
import { nameFeatures } from './name-features.ts';
import { queryHits } from './query-hits.ts';

const featuresOf = (question: string, texts: [markdown: string, ...headingPath: string[]][]) => {
  const chunks = texts.map(
    ([markdown, ...headingPath]): Chunk => ({ markdown, headingPath, start: 0, end: markdown.length }),
  );
  const page = readChunks(chunks, 'en');
  const query = readQuery(question).forPassages('en');
  return nameFeatures(page, query, queryHits(page, query));
};

describe('nameFeatures', () => {
  test('the entry whose own term is asked for is named better than one that mentions it', () => {
    const { named } = featuresOf('default of work_mem', [
      ['- **hash_mem_multiplier**: Multiplies work_mem for hash tables. The default is 2.'],
      ['- **work_mem**: Memory for each operation. The default is 4MB.'],
    ]);
    assert.ok((named[1] ?? 0) > 3 * (named[0] ?? 0), `${named}`);
  });

  test('a name with fewer words that nobody asked for fits better', () => {
    const { named } = featuresOf('vacuum', [
      ['It rebuilds the file.', 'Vacuum'],
      ['It rebuilds the file.', 'Vacuum with an address of a file'],
    ]);
    assert.equal(named[0], 1);
    assert.ok((named[1] ?? 0) < 1 && (named[1] ?? 0) > 0);
  });

  test('the beginning of each section opens it, of a page without headings none', () => {
    const text = 'Rows are read in order.';
    assert.deepEqual(
      [...featuresOf('rows', [[text, 'A'], [text, 'A'], [text, 'A', 'B'], [text]]).opens],
      [1, 0, 1, 0],
    );
  });

  test('only the beginning of a section counts the question that its headings cover', () => {
    const text = 'Rows are read in order.';
    const { opensAsked } = featuresOf('squash migrations', [
      [text, 'Migrations'],
      [text, 'Migrations', 'Squash'],
      [text, 'Migrations', 'Squash'],
    ]);
    assert.ok((opensAsked[0] ?? 0) > 0 && (opensAsked[0] ?? 0) < 1);
    assert.deepEqual([...opensAsked.subarray(1)], [1, 0]);
  });
});
