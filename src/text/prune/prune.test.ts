import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildPageParts } from './page-parts.ts';
import { cutMarkdown } from './prune-markdown.ts';

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

describe('buildPageParts', () => {
  test('holds what was asked for and nothing else', () => {
    assert.deepEqual(
      Object.keys(buildPageParts(page, { text: null, highlights: null, pruned: null }, 'q')),
      [],
    );
    assert.deepEqual(
      Object.keys(buildPageParts(page, { text: { charsMax: 10 }, highlights: null, pruned: null }, 'q')),
      ['text'],
    );
  });

  test('the best highlight holds the answer and the scores fall', () => {
    const wanted = { text: null, highlights: { query: null, perUrl: 3, charsMax: null }, pruned: null };
    const { highlights = [], highlightScores = [] } = buildPageParts(
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
    assert.match(buildPageParts(page, wanted, 'lapwing crest').highlights?.[0] ?? '', /Curlew/);
  });

  test('charsMax bounds the highlights of a page together', () => {
    const wanted = { text: null, highlights: { query: null, perUrl: 5, charsMax: 1_000 }, pruned: null };
    const { highlights = [] } = buildPageParts(page, wanted, 'described part of the page');
    assert.ok(highlights.join('').length <= 1_000);
  });

  test('pruned context keeps the page order, names what heads a chunk and shows what was left out', () => {
    const { prunedContext = '' } = buildPageParts(
      page,
      { text: null, highlights: null, pruned: { query: null } },
      'lapwing crest',
    );
    assert.match(prunedContext, /^# Shore birds\n\n\[…\]\n\n## [\s\S]*\n\n## Lapwing\n\nThe crest/);
    assert.doesNotMatch(prunedContext, /crustaceans/);
  });

  test('the opening is shown when nothing is relevant to the question', () => {
    const { prunedContext = '' } = buildPageParts(
      page,
      { text: null, highlights: null, pruned: { query: null } },
      'xylophone',
    );
    assert.match(prunedContext, /^# Shore birds/);
    assert.match(prunedContext, /\[…\]$/);
  });
});

const shortParts = [
  'The harbour office is open from Monday to Friday. Its staff answer letters and keep the register of all boats that are moored at the quays of the town, old and new.',
  'A berth for a visiting boat costs nine coins a night. The fee is paid at the small window beside the lock, before the gates are opened in the morning, and never on board.',
  'Fishing from the quay is allowed all year round. Nets are hung to dry on the western wall, where nobody can trip over them, and are taken in before the autumn gales begin.',
  'The lighthouse was rebuilt of granite after the great storm. Visitors may climb its stairs in summer, in groups of no more than six people, together with one of the keepers.',
  'The ferry crosses twice a day when the tide permits it. Bicycles travel free of charge, while carts have to be announced a day ahead at the counter of the harbour office.',
];

test('a page under a thousand characters is pruned too', () => {
  const short = shortParts.join('\n\n');
  assert.ok(short.length < 1_000);
  const wanted = { text: null, highlights: null, pruned: { query: null } };
  const { prunedContext = '', prunedBy } = buildPageParts(
    { markdown: short, language: 'en' },
    wanted,
    'how much does a berth for a visiting boat cost',
  );
  assert.equal(prunedBy, 'relevance');
  assert.match(prunedContext, /nine coins a night/);
  assert.match(prunedContext, /\[…\]/);
  const foreign = buildPageParts({ markdown: short, language: 'en' }, wanted, 'xylophone');
  assert.equal(foreign.prunedBy, 'opening');
  assert.ok((foreign.prunedContext ?? '').length < short.length / 3);
  const unasked = buildPageParts({ markdown: short, language: 'en' }, wanted, null);
  assert.equal(unasked.prunedContext, short, 'without a question nothing tells what to leave out');
});

describe('a question how to do something keeps the passage that does it', () => {
  const detour = (name: string): string =>
    `${name}: when the lamp moves, the wheel has to turn on its own axle, and so in turn does the lamp mode of the keeper. The lamp burns on while the wheel turns, and each turn of the wheel leaves the lamp as it was. `.repeat(
      3,
    );
  const manual = [
    '# Lamps',
    ...['Oil', 'Wicks', 'Glass', 'Brass', 'Rope', 'Sand', 'Tide', 'Gales', 'Fog', 'Ice', 'Rain', 'Sun'].map(
      (name) => `## ${name}\n\n${detour(name)}`,
    ),
    '## Activating and configuring the dimmer',
    `A lamp is bright by default. To convert it, use the following statement:\n\n\`\`\`\nSET brightness=LOW;\n\`\`\`\n\n${filler('statement')}`,
    ...['Nets', 'Boats', 'Quays', 'Locks'].map((name) => `## ${name}\n\n${detour(name)}`),
  ].join('\n\n');
  for (const question of [
    'how do I turn on the dimmer',
    'turn the dimmer on',
    'how to activate the dimmer',
    'enable the dimmer',
    'I want to switch the dimmer on',
  ])
    test(question, () => {
      const { prunedContext = '' } = buildPageParts(
        { markdown: manual, language: 'en' },
        { text: null, highlights: null, pruned: { query: null } },
        `${question} while the lamp turns`,
      );
      assert.match(prunedContext, /SET brightness=LOW/);
      assert.ok(prunedContext.length < manual.length / 2);
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
