import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareTexts, type TextChange } from './compare-texts.ts';

const show = ({ kind, before, after, noise }: TextChange): string =>
  `${kind}: ${before?.quote ?? ''} -> ${after?.quote ?? ''}${noise === null ? '' : ` (${noise})`}`;
const listChanges = (before: string, after: string, earlier: string[] = []): string[] =>
  compareTexts(before, after, earlier).changes.map(show);

const GUIDE = [
  '# Install',
  'Download the archive and unpack it in a folder of its own.',
  '## Options',
  '- `port`: the port to listen on',
  '- `host`: the address to listen on',
  '| plan | price |\n| --- | --- |\n| small | 10 EUR |\n| large | 50 EUR |',
  '```sh\nnpm start\n```',
];
const page = (...blocks: string[]): string => blocks.join('\n\n');
const guideWith = (place: number, block: string): string => page(...GUIDE.with(place, block));

describe('changes of a page', () => {
  test('none where the texts are equal, or differ in white space only', () => {
    const guide = page(...GUIDE);
    assert.deepEqual(compareTexts(guide, guide), { changes: [], isChanged: false, changedShare: 0 });
    const spaced = guide.replace('archive and', 'archive\nand').replace('| small |', '|  small   |');
    assert.deepEqual(listChanges(guide, spaced), []);
  });

  test('a paragraph with other words, which are marked, and its offsets in both versions', () => {
    const before = page(...GUIDE);
    const after = guideWith(1, 'Download the package and unpack it in a folder of its own.');
    const { changes, isChanged } = compareTexts(before, after);
    assert.equal(isChanged, true);
    assert.equal(changes.length, 1);
    const [change] = changes;
    assert.ok(change?.before && change.after);
    assert.deepEqual(change.headingPath, ['Install']);
    assert.equal(before.slice(change.before.start, change.before.end), change.before.quote);
    assert.equal(after.slice(change.after.start, change.after.end), change.after.quote);
    assert.deepEqual(change.words, [
      { kind: 'same', text: 'Download the ' },
      { kind: 'removed', text: 'archive' },
      { kind: 'added', text: 'package' },
      { kind: 'same', text: ' and unpack it in a folder of its own.' },
    ]);
  });

  test('a number with its point or comma is one word', () => {
    const [change] = compareTexts(
      page('# Kettle', 'It costs 1,042.00 EUR.'),
      page('# Kettle', 'It costs 39.50 EUR.'),
    ).changes;
    assert.deepEqual(change?.words, [
      { kind: 'same', text: 'It costs ' },
      { kind: 'removed', text: '1,042.00' },
      { kind: 'added', text: '39.50' },
      { kind: 'same', text: ' EUR.' },
    ]);
  });

  test('one row of a table, one item of a list, lines of code', () => {
    const before = page(...GUIDE);
    assert.deepEqual(listChanges(before, before.replace('50 EUR', '60 EUR')), [
      'changed: | large | 50 EUR | -> | large | 60 EUR |',
    ]);
    assert.deepEqual(listChanges(before, before.replace('- `host`', '- `name`: the name\n- `host`')), [
      'added:  -> - `name`: the name',
    ]);
    assert.deepEqual(listChanges(before, before.replace('npm start', 'npm run start')), [
      'changed: ```sh\nnpm start\n``` -> ```sh\nnpm run start\n```',
    ]);
  });

  test('a section that moved, and what went', () => {
    const [a, b, c] = [
      'First come the basics of it.',
      'Then come the details of it.',
      'In the end, the index.',
    ];
    assert.deepEqual(listChanges(page(a, b, c), page(b, c, a)), [`moved: ${a} -> ${a}`]);
    assert.deepEqual(listChanges(page(a, b, c), page(a, c)), [`removed: ${b} -> `]);
  });

  test('a step put into a numbered list changes no other step', () => {
    assert.deepEqual(listChanges('1. open\n2. close it', '1. open\n2. look at it\n3. close it'), [
      'added:  -> 2. look at it',
    ]);
  });

  test('numbers and dates that a page is about', () => {
    for (const [before, after] of [
      ['The fee is 30 EUR a month.', 'The fee is 35 EUR a month.'],
      ['Applications close on 3 May 2026.', 'Applications close on 10 May 2026.'],
      ['Version 2.3.1 is the current release.', 'Version 2.3.2 is the current release.'],
      ['## 500 users died of it', '## 600 users died of it'],
      ['You need at least 1,000 followers to go live.', 'You need at least 2,000 followers to go live.'],
      ['| 2026-05-01 | Berlin |', '| 2026-05-02 | Berlin |'],
    ] as const)
      assert.equal(compareTexts(before, after).isChanged, true, after);
  });
});

describe('noise', () => {
  test('other marks around the same words, as in a Markdown twin of the page; not a line through them', () => {
    const twin = page(
      'Install\n=======',
      'Download the **archive** and unpack it in a `folder` of its own.',
      'Options\n-------',
      '* port: the port to listen on',
      '* host: the address to listen on',
      '| plan | price |\n| --- | --- |\n| **small** | 10 EUR |\n| large | 50 EUR |',
      '```\nnpm start\n```',
    );
    const { changes, isChanged } = compareTexts(page(...GUIDE), twin);
    assert.equal(isChanged, false, changes.map(show).join('\n'));
    assert.deepEqual(noiseOf('The price is 10 EUR today.', 'The price is ~~10 EUR~~ today.'), [null]);
    assert.deepEqual(noiseOf('Set `a` to 1 before.', 'Set `b` to 1 before.'), [null]);
  });

  const noiseOf = (before: string, after: string): (string | null)[] =>
    compareTexts(page(...GUIDE, before), page(...GUIDE, after)).changes.map(({ noise }) => noise);

  test('dates of the page itself', () => {
    for (const [before, after] of [
      ['Last updated: 3 May 2026', 'Last updated: 4 May 2026'],
      ['Page generated on 2026-05-03 at 10:20:30 UTC.', 'Page generated on 2026-05-04 at 09:08:07 UTC.'],
      ['© 2025 Example Ltd. All rights reserved.', '© 2026 Example Ltd. All rights reserved.'],
      ['Posted by Ann 3 hours ago', 'Posted by Ann 2 days ago'],
      ['Asked 1 year, 7 months ago', 'Asked 1 year, 8 months ago'],
      ['May 3, 2026', 'May 4, 2026'],
      ['Last updated: Dec 17, 2025 • 5 min read', 'Last updated: Jan 9, 2026 • 5 min read'],
      ['Stand: 03.05.2026, 10:20 Uhr', 'Stand: 04.05.2026, 11:20 Uhr'],
    ] as const)
      assert.deepEqual(noiseOf(before, after), ['date'], after);
  });

  test('counters', () => {
    for (const [before, after] of [
      ['1,204 views · 17 comments', '1,310 views · 19 comments'],
      ['Downloads: 12.4k', 'Downloads: 12.9k'],
      ['Followers 310', 'Followers 311'],
      ['34 users online', '41 users online'],
      ['## 9 Comments', '## 11 Comments'],
    ] as const)
      assert.deepEqual(noiseOf(before, after), ['counter'], after);
  });

  test('adverts and related links', () => {
    assert.deepEqual(noiseOf('Sponsored: buy boots today', 'Sponsored: fly to Rome'), ['advert', 'advert']);
    const links = (...names: string[]): string =>
      page('## Related articles', names.map((name) => `- [${name}](https://example.org/${name})`).join('\n'));
    assert.deepEqual(noiseOf(links('boots', 'rain'), links('snow', 'rain')), ['related', 'related']);
  });

  test('the order of a list, but not of steps', () => {
    assert.deepEqual(noiseOf('- apples\n- pears\n- plums', '- plums\n- apples\n- pears'), ['order']);
    assert.deepEqual(noiseOf('1. Open the lid.\n2. Pour in water.', '1. Pour in water.\n2. Open the lid.'), [
      null,
    ]);
  });

  test('parameters of addresses', () => {
    const picture = (stamp: string): string => `![A bridge](https://example.org/bridge.png?v=${stamp})`;
    assert.deepEqual(noiseOf(picture('17'), picture('18')), ['address']);
    assert.deepEqual(noiseOf('[Get it](https://example.org/a)', '[Get it](https://example.org/b)'), [null]);
  });

  test('what changed at every earlier visit, but not a list that only grows', () => {
    const visit = (quote: string, ...releases: string[]): string =>
      page('# Tool', 'Thought of the day:', quote, '## Releases', ...releases, 'That is all there is.');
    const quotes = [
      'Haste makes waste.',
      'Time will tell.',
      'Less is more.',
      'All that glitters is not gold.',
    ];
    const earlier = quotes.map((quote, at) =>
      visit(quote, ...['3.0', '2.0', '1.0'].slice(3 - Math.min(at, 3))),
    );
    const before = earlier.pop() ?? '';
    const after = visit('Practice makes perfect.', '4.0', '3.0', '2.0', '1.0');
    const { changes } = compareTexts(before, after, earlier);
    assert.deepEqual(
      changes.map(({ kind, noise, after: now }) => [kind, now?.quote, noise]),
      [
        ['removed', undefined, 'recurring'],
        ['added', 'Practice makes perfect.', 'recurring'],
        ['added', '4.0', null],
      ],
    );
    assert.ok(compareTexts(before, after).changes.every(({ noise }) => noise === null));
  });
});

test('pages that have nothing in common are compared too', () => {
  const make = (word: string): string =>
    Array.from({ length: 1_000 }, (_, at) => `${word}${at} stands alone ${word}`).join('\n\n');
  assert.equal(compareTexts(make('one'), make('two')).changes.length > 0, true);
});
