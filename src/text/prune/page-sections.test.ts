import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { listAskedTerms, readSections } from './page-sections.ts';
import { rankSections } from './rank-sections.ts';

const CODE = `\`\`\`js\n${Array.from({ length: 30 }, (_, at) => `server.addHook('onRequest', hook${at});`).join('\n')}\n\`\`\``;
const FILLER = 'A wader runs along the edge of each wave and picks what the water leaves behind. '.repeat(8);
const PAGE = `# Server\n\n${FILLER}\n\n## Hooks\n\nA hook runs on each request:\n\n${CODE}\n\n## Waves\n\n${FILLER}`;
const API = [
  '# wader: API reference',
  '## wader.walk',
  '```ts\nfunction walk(along: string): void\n```',
  'Walks along a shore.',
  '#### Example',
  "```ts\nwalk('the edge');\n```",
  '## wader.Options',
  'What `walk` and other functions take: walk, walk, walk.',
].join('\n\n');

/** The texts of the ranked sections of pages, best first. */
function rank(pages: readonly string[], question: string, charsMax = 4_000) {
  const found = pages.map((markdown) => readSections({ markdown, language: 'en' }, question, charsMax));
  const bonuses = found.map((sections) => ({ found: sections, bonus: 0 }));
  return rankSections(listAskedTerms(question), bonuses).map(({ page, section }) => ({
    headingPath: section.headingPath,
    markdown: section.part ?? pages[page]?.slice(section.start, section.end) ?? '',
  }));
}

describe('the sections of pages', () => {
  test('keep code whole, with the prose and the heading above it', () => {
    const [best] = rank([PAGE], 'run a hook on each request');
    assert.equal(best?.markdown, `## Hooks\n\nA hook runs on each request:\n\n${CODE}`);
    assert.deepEqual(best?.headingPath, ['Server', 'Hooks']);
  });

  test('are found by a line of their code', () => {
    const [best] = rank([PAGE], 'server.addHook onRequest hook17');
    assert.ok(best?.markdown.startsWith('## Hooks') && best.markdown.endsWith(CODE));
  });

  test('of an item have its signature, its text and its example', () => {
    const [best] = rank([API], 'what does walk do');
    assert.match(best?.markdown ?? '', /function walk\(along[\s\S]*Walks along a shore[\s\S]*the edge/);
  });

  test('rank by what is rare among all pages', () => {
    const pages = [
      `# A\n\n${FILLER}\n\nA wader has a beak.`,
      `# B\n\n${FILLER}`,
      '# C\n\nThe tide table of a wader.',
    ];
    assert.match(rank(pages, 'wader tide')[0]?.markdown ?? '', /tide table/);
  });

  test('cut a block only if it alone is too long, and then as valid Markdown', () => {
    const cut = rank([PAGE], 'addHook onRequest', 800);
    for (const { markdown } of cut) assert.ok(markdown.length <= 800);
    const code = cut.filter(({ markdown }) => markdown.includes('addHook'));
    assert.ok(code.length > 1);
    for (const { markdown } of code) assert.equal((markdown.match(/```/g)?.length ?? 0) % 2, 0);
  });

  test('are slices of the page and never overlap', () => {
    const block = fc.constantFrom(
      '# One',
      '## Two',
      '#### Four',
      'A hook runs.',
      CODE,
      FILLER,
      '- a hook\n- a wave',
      '| a |\n| - |\n| hook |',
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 14 }), (blocks) => {
        const markdown = blocks.join('\n\n');
        const { sections } = readSections({ markdown, language: 'en' }, 'hook request wave', 2_000);
        const ordered = sections.toSorted((one, other) => one.start - other.start);
        for (const [at, { start, end, part }] of ordered.entries()) {
          assert.ok(part !== null || end - start <= 2_000);
          assert.ok(at === 0 || start >= (ordered[at - 1]?.end ?? 0));
        }
      }),
    );
  });
});

test('listAskedTerms leaves out words that say nothing, and repetitions', () => {
  const terms = listAskedTerms('what does fs.readFile do, and the readFile of fs?');
  assert.deepEqual(
    terms.map(({ text }) => text).filter((text) => ['what', 'the', 'of'].includes(text)),
    [],
  );
  assert.equal(new Set(terms.map(({ text }) => text)).size, terms.length);
  assert.ok(terms.some(({ text, kind }) => text === 'fs.readfile' && kind === 'whole'));
});
