import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cutMarkdown } from './cut-markdown.ts';
import { pageParts } from './page-parts.ts';

const filler = (topic: string): string =>
  `The ${topic} is described in this part of the page at some length. `.repeat(8).trim();
const markdown = [
  '# Shore birds',
  filler('introduction'),
  '## Sanderling',
  `${filler('bird')} Sanderlings run after the receding waves to pick up small crustaceans.`,
  '## Curlew',
  filler('long bill'),
  '## Lapwing',
  filler('crest'),
].join('\n\n');
const page = { markdown, language: 'en' };

describe('pageParts', () => {
  test('holds what was asked for and nothing else', () => {
    assert.deepEqual(Object.keys(pageParts(page, { text: null, highlights: null, pruned: null }, 'q')), []);
    assert.deepEqual(
      Object.keys(pageParts(page, { text: { charsMax: 10 }, highlights: null, pruned: null }, 'q')),
      ['text'],
    );
  });

  test('the best highlight holds the answer and the scores fall', () => {
    const wanted = { text: null, highlights: { query: null, perUrl: 3, charsMax: null }, pruned: null };
    const { highlights = [], highlightScores = [] } = pageParts(
      page,
      wanted,
      'what do sanderlings eat at the waves',
    );
    assert.match(highlights[0] ?? '', /crustaceans/);
    assert.equal(highlights.length, highlightScores.length);
    assert.deepEqual(
      highlightScores,
      highlightScores.toSorted((a, b) => b - a),
    );
    for (const highlight of highlights) assert.ok(highlight.length >= 400 && highlight.length <= 700);
  });

  test("the highlights' own query wins over the search query", () => {
    const wanted = {
      text: null,
      highlights: { query: 'curlew bill', perUrl: 1, charsMax: null },
      pruned: null,
    };
    assert.match(pageParts(page, wanted, 'lapwing crest').highlights?.[0] ?? '', /Curlew/);
  });

  test('charsMax bounds the highlights of a page together', () => {
    const wanted = { text: null, highlights: { query: null, perUrl: 5, charsMax: 1_000 }, pruned: null };
    const { highlights = [] } = pageParts(page, wanted, 'described part of the page');
    assert.ok(highlights.join('').length <= 1_000);
  });

  test('pruned context keeps the page order, names what heads a chunk and shows what was left out', () => {
    const { prunedContext = '' } = pageParts(
      page,
      { text: null, highlights: null, pruned: { query: null } },
      'lapwing crest',
    );
    assert.match(prunedContext, /^# Shore birds\n\n\[…\]\n\n## [\s\S]*\n\n## Lapwing\n\nThe crest/);
    assert.doesNotMatch(prunedContext, /crustaceans/);
  });

  test('the opening is shown when nothing is relevant to the question', () => {
    const { prunedContext = '' } = pageParts(
      page,
      { text: null, highlights: null, pruned: { query: null } },
      'xylophone',
    );
    assert.match(prunedContext, /^# Shore birds/);
    assert.match(prunedContext, /\[…\]$/);
  });
});

describe('cutMarkdown', () => {
  test('cuts at a word and never above the bound', () => {
    assert.equal(cutMarkdown('one two three', 9), 'one two');
    assert.equal(cutMarkdown('one', null), 'one');
  });

  test('closes a fence that it cuts', () => {
    const cut = cutMarkdown(`\`\`\`js\n${'call();\n'.repeat(20)}\`\`\``, 60);
    assert.ok(cut.length <= 60);
    assert.match(cut, /^```js\n[\s\S]*\n```$/);
  });

  test('does not halve a character outside the basic plane', () => {
    assert.equal(cutMarkdown('🐦🐦', 3), '🐦');
  });
});
