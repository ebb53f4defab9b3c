import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binned, boost, generator } from './boost.ts';
import { isFitted } from './halves.ts';
import { labelBlocks } from './labels.ts';
import { NO_ADDRESS } from './pages.ts';
import { plainText } from './plain-text.ts';
import { wordF1 } from './word-f1.ts';

test('boosting learns an exclusive or, which no single column tells', () => {
  const random = generator(1);
  const count = 2_000;
  const table = Float32Array.from({ length: count * 3 }, () => random());
  const labels = Float32Array.from({ length: count }, (_, row) =>
    (table[row * 3] ?? 0) > 0.5 !== (table[row * 3 + 1] ?? 0) > 0.5 ? 1 : 0,
  );
  const data = binned(table, 3);
  const trees = boost(
    data,
    Int32Array.from({ length: count }, (_, row) => row),
    { labels, weights: new Float32Array(count).fill(1) },
    { trees: 30, leaves: 8, rate: 0.3, rowShare: 0.8, columnShare: 1, hessianMin: 1, ridge: 1, seed: 3 },
  );
  let right = 0;
  for (let row = 0; row < count; row += 1) {
    let score = 0;
    for (const { feature, threshold, right: other, value } of trees) {
      let node = 0;
      for (let column = feature[0] ?? -1; column >= 0; column = feature[node] ?? -1) {
        node = (table[row * 3 + column] ?? 0) <= (threshold[node] ?? 0) ? node + 1 : (other[node] ?? 0);
      }
      score += value[node] ?? 0;
    }
    if (score > 0 === (labels[row] === 1)) right += 1;
  }
  assert.ok(right > count * 0.95, `${right} of ${count}`);
});

test('a block is labelled by its words in the order of the marked text, a spare copy by its neighbours', () => {
  const title = 'The title of it all';
  const menu = ['Home', 'News', 'Sport', 'Weather', 'Shop', 'Login', 'About'];
  const text = ['A first sentence of the text.', 'And a second one here.'];
  const { labels } = labelBlocks([title, ...menu, title, ...text], `${title}. ${text.join(' ')}`);
  assert.deepEqual(labels, [0, ...menu.map(() => 0), 1, 1, 1]);
});

test('plain text of Markdown holds words only', () => {
  const markdown =
    '# A *title*\n\n[link text](https://a.example/path_(x) "t") ![alt](b.png)\n\n```js\nlet snake_case\n```\n\\_x\\_';
  assert.deepEqual(plainText(markdown).match(/\w+/g), [
    'A',
    'title',
    'link',
    'text',
    'let',
    'snake_case',
    'x',
  ]);
});

test('word F1 counts words as often as they stand', () => {
  assert.equal(wordF1('one two', 'One TWO').f1, 1);
  assert.equal(wordF1('a a', 'a b').f1, 0.5);
  assert.equal(wordF1('', 'a').f1, 0);
});

test('the halves of a set never change: pages of a site share one, pages without an address go by their id', () => {
  const page = (url: string, id = 'a'): { id: string; url: string } => ({ id, url });
  for (const path of ['', '?p=15500', 'about'])
    assert.equal(isFitted('older_articles', page(`http://blog.mrmeyer.com/${path}`)), false);
  assert.equal(isFitted('older_articles', page(NO_ADDRESS, 'dragnet-31')), true);
  assert.equal(isFitted('older_articles', page(NO_ADDRESS, 'dragnet-49')), false);
  assert.equal(isFitted('wcxb_dev', page('http://blog.mrmeyer.com/')), true);
});
