import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listMarkdownImages } from './images.ts';

const MAX = 10;
const cases: [what: string, markdown: string, images: [url: string, description: string][]][] = [
  ['an image', 'One ![A godwit](https://a.org/g.jpg) bird.', [['https://a.org/g.jpg', 'A godwit']]],
  ['no text', '![](https://a.org/g.jpg)', [['https://a.org/g.jpg', '']]],
  ['escaped brackets', '![a \\[b\\]](https://a.org/g.jpg)', [['https://a.org/g.jpg', 'a [b]']]],
  ['parentheses in pairs', '![x](https://a.org/g_(1).jpg)', [['https://a.org/g_(1).jpg', 'x']]],
  ['within a link', '[![x](https://a.org/g.jpg)](https://a.org/)', [['https://a.org/g.jpg', 'x']]],
  ['a plain link is none', '[x](https://a.org/g.jpg)', []],
  ['no address', '![x] (https://a.org/g.jpg) ![y](', []],
  ['other schemes', '![x](data:image/png;base64,AA) ![y](/relative.png)', []],
  [
    'each address once, with its text if it has one',
    '![](https://a.org/1) ![two](https://a.org/2) ![one](https://a.org/1)',
    [
      ['https://a.org/1', 'one'],
      ['https://a.org/2', 'two'],
    ],
  ],
];
for (const [what, markdown, images] of cases)
  test(what, () =>
    assert.deepEqual(
      listMarkdownImages(markdown, MAX),
      images.map(([url, description]) => ({ url, description })),
    ),
  );

test('no more than asked for', () => {
  const markdown = Array.from({ length: 50 }, (_, number) => `![x](https://a.org/${number})`).join('\n');
  assert.equal(listMarkdownImages(markdown, 7).length, 7);
});

test('a page of openings costs time in proportion to its length', () => {
  for (const piece of ['![](', '![', '![x](a'])
    assert.deepEqual(listMarkdownImages(`${piece.repeat(500_000)} ](`, MAX), []);
});
