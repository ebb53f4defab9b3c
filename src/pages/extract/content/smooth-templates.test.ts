import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { buildPageView } from './page-view.ts';
import { smoothTemplates } from './smooth-templates.ts';

function smooth(html: string, probabilities: number[]): number[] {
  const view = buildPageView(parseTree(html), 'https://a.example/');
  assert.equal(view.blocks.length, probabilities.length);
  return [...smoothTemplates(view, Float32Array.from(probabilities))].map(
    (one) => Math.round(one * 100) / 100,
  );
}

describe('templates', () => {
  test('blocks of equal cards are drawn to their mean', () => {
    const cards = ['Lamp', 'Chair', 'Table', 'Shelf'].map(
      (name) => `<div class="card"><h3>${name}</h3></div>`,
    );
    assert.deepEqual(smooth(cards.join(''), [0.9, 0.9, 0.9, 0.1]), [0.78, 0.78, 0.78, 0.46]);
  });

  test('a block of another template keeps its own probability', () => {
    const page =
      '<div class="card"><h3>Lamp</h3></div><div class="card"><h3>Chair</h3></div><section><p>Text</p></section>';
    const [lamp, chair, text] = smooth(page, [0.8, 0.2, 0.95]);
    assert.ok((lamp ?? 0) < 0.7 && (chair ?? 0) > 0.3, `${lamp} ${chair}`);
    assert.equal(text, 0.95);
  });

  test('numbers in the names of classes do not tell blocks apart', () => {
    const posts = [1, 2].map((number) => `<div class="post-${number}"><p>Text</p></div>`).join('');
    assert.deepEqual(smooth(posts, [0.8, 0.4]), [0.72, 0.48]);
  });

  test('a page without blocks', () => {
    assert.deepEqual(smooth('', []), []);
  });
});
