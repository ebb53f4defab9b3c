import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readQuery } from '../query/read-query.ts';
import { preparePage, scorePrepared } from './chunked-page.ts';
import { chooseWholePassages } from './whole-passages.ts';

const CODE = `\`\`\`js\n${Array.from({ length: 30 }, (_, at) => `server.addHook('onRequest', hook${at});`).join('\n')}\n\`\`\``;
const FILLER = 'A wader runs along the edge of each wave and picks what the water leaves behind. '.repeat(8);
const PAGE = `# Server\n\n${FILLER}\n\n## Hooks\n\nA hook runs on each request:\n\n${CODE}\n\n## Waves\n\n${FILLER}`;

function choose(markdown: string, question: string, bounds = { perPage: 3, charsMax: 4_000 }) {
  const page = preparePage({ markdown, language: 'en' });
  return chooseWholePassages(markdown, scorePrepared(page, readQuery(question)), bounds);
}

describe('chooseWholePassages', () => {
  test('keeps code whole, with the prose and the heading above it', () => {
    const [best] = choose(PAGE, 'run a hook on each request');
    assert.ok(best?.markdown.startsWith('## Hooks\n\nA hook runs on each request:'));
    assert.ok(best?.markdown.endsWith(CODE));
    assert.deepEqual(best?.headingPath, ['Server', 'Hooks']);
  });

  test('finds the same passage by a line of its code', () => {
    const [best] = choose(PAGE, 'addHook onRequest hook17');
    assert.ok(best?.markdown.startsWith('## Hooks'));
    assert.ok(best?.markdown.includes(CODE));
  });

  test('cuts a block only if it alone is too long', () => {
    const [best] = choose(PAGE, 'addHook onRequest', { perPage: 1, charsMax: 800 });
    assert.ok((best?.markdown.length ?? 0) <= 800);
    assert.match(best?.markdown ?? '', /```$/);
  });

  test('passages are slices of the page and never overlap', () => {
    const block = fc.constantFrom(
      '# One',
      '## Two',
      'A hook runs.',
      CODE,
      FILLER,
      '- a hook\n- a wave',
      '| a |\n| - |\n| hook |',
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 14 }), (blocks) => {
        const markdown = blocks.join('\n\n');
        const passages = choose(markdown, 'hook request', { perPage: 4, charsMax: 2_000 });
        for (const { markdown: text, start, end } of passages)
          if (text.length === end - start) assert.equal(text, markdown.slice(start, end));
        const ordered = passages.toSorted((one, other) => one.start - other.start);
        for (const [at, { start }] of ordered.entries())
          assert.ok(at === 0 || start >= (ordered[at - 1]?.end ?? 0));
      }),
    );
  });
});
