import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chunkMarkdown } from '../../src/text/chunk/chunk-markdown.ts';
import { pruneMarkdown } from '../../src/text/prune/prune-markdown.ts';
import { areFencesClosed, chunkViolations, prunedViolations, runViolations } from './chunk-properties.ts';
import { markdownPage } from './markdown-pages.ts';

const RUNS = 1_000;

describe('on generated pages', () => {
  test('chunks tile the page, fit, cut no word, close fences and keep tables rectangular', () => {
    fc.assert(
      fc.property(markdownPage, (markdown) => {
        assert.deepEqual(chunkViolations(markdown, chunkMarkdown(markdown)), []);
      }),
      { numRuns: RUNS },
    );
  });

  test('pruned text is a subsequence of the page and contains each of its runs, for any scores', () => {
    const scores = fc.array(fc.constantFrom(0, 0.1, 0.4, 0.6, 0.9, 1), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(markdownPage, scores, (markdown, given) => {
        const scored = chunkMarkdown(markdown).map((chunk, at) => ({
          ...chunk,
          score: given[at % given.length] ?? 0,
        }));
        const pruned = pruneMarkdown(markdown, scored);
        assert.deepEqual(prunedViolations(markdown, pruned.markdown), []);
        assert.deepEqual(runViolations(markdown, pruned, scored), []);
      }),
      { numRuns: RUNS },
    );
  });
});

test('runViolations finds a run that is not shown, and text outside all runs', () => {
  const place = (start: number, end: number) => ({ start, end, headingPath: [] });
  const shown = 'a curlew';
  assert.deepEqual(runViolations('a curlew b knot', { markdown: shown, runs: [place(0, 8)] }, []), []);
  assert.equal(runViolations('a curlew b knot', { markdown: shown, runs: [place(2, 10)] }, []).length, 2);
  assert.equal(runViolations('a curlew b knot', { markdown: shown, runs: [] }, []).length, 1);
  const rows = '| - | - |\n| - |';
  const place2 = place(10, 15);
  assert.deepEqual(runViolations(rows, { markdown: rows, runs: [place(0, 9), place2] }, []), []);
});

test('areFencesClosed finds an open fence', () => {
  assert.equal(areFencesClosed('```js\nx'), false);
  assert.equal(areFencesClosed('> ```js\n> x\n\nafter'), true);
});
