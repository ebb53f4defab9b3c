import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { isElement, type TreeElement } from '../table-shape.ts';
import { chooseContent } from './choose-content.ts';

function keptText(element: TreeElement): string {
  return element.children
    .map((child) => (isElement(child) ? (child.kept ? keptText(child) : '') : child.kept ? child.text : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const PARAGRAPH =
  'The river rose for three days, and on the fourth the town moved its market to the hill. Nobody had planned it, ' +
  'but the stalls stood in the same order as before, and people found what they were looking for.';
const PAGE = `<!doctype html><html><head><title>The market on the hill</title></head><body>
<header><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/about">About us</a></li></ul></nav></header>
<div class="cookie-banner"><p>We use cookies to improve your experience. <button>Accept all</button></p></div>
<main><article><h1>The market on the hill</h1>
<p>${PARAGRAPH}</p><h2>How it went on</h2><p>${PARAGRAPH}</p><p>${PARAGRAPH}</p>
<figure><img src="hill.jpg" alt="Stalls"><figcaption>Stalls on the hill in May.</figcaption></figure>
<p>${PARAGRAPH}</p></article></main>
<aside class="related-posts"><h3>Related articles</h3><ul><li><a href="/a">Ten bridges to see</a></li><li><a href="/b">Where to eat</a></li></ul></aside>
<footer><p>© 2024 The Town Paper. All rights reserved.</p><a href="/privacy">Privacy policy</a></footer>
</body></html>`;

describe('chooseContent', () => {
  const tree = parseTree(PAGE);
  const choice = chooseContent(tree, { url: 'https://paper.example/news/market-on-the-hill' });
  const text = keptText(tree.root);

  test('keeps the article with its headings', () => {
    assert.equal(text.split('on the fourth the town').length - 1, 4);
    assert.match(text, /How it went on/);
  });

  test('leaves out menus, the cookie banner, related pages and the footer', () => {
    for (const phrase of ['About us', 'cookies', 'Ten bridges', 'All rights reserved', 'Privacy policy']) {
      assert.ok(!text.includes(phrase), phrase);
    }
  });

  test('keeps the picture between kept texts', () => {
    const kept: string[] = [];
    const waiting: TreeElement[] = [tree.root];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.kept && next.tag === 'img') kept.push(next.attributes.src ?? '');
      for (const child of next.children) if (isElement(child)) waiting.push(child);
    }
    assert.deepEqual(kept, ['hill.jpg']);
  });

  test('reports what it kept', () => {
    const left = choice.kept.filter((kept) => !kept);
    assert.ok(left.length > 0 && left.length < choice.kept.length);
  });

  test('an element is kept exactly when something in it is', () => {
    const waiting: TreeElement[] = [tree.root];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { kept } = next;
      for (const child of next.children) {
        if (child.kept) assert.ok(kept, next.tag);
        if (isElement(child)) waiting.push(child);
      }
    }
  });
});

test('a short page is kept whole except its margins', () => {
  const tree = parseTree(
    '<nav>Home</nav><h1>Notes</h1><ul><li>Milk</li></ul><table><tr><th>a</th><td>1</td></tr></table><footer>End</footer>',
  );
  chooseContent(tree, { url: 'https://a.example/' });
  assert.equal(keptText(tree.root), 'Notes Milk a 1');
});

describe('pages with nothing to choose', () => {
  for (const html of ['', '<html></html>', '<script>x</script>', '   ', '<p hidden>x</p>']) {
    test(JSON.stringify(html), () => {
      const tree = parseTree(html);
      assert.deepEqual(chooseContent(tree, { url: 'https://a.example/' }).kept, []);
      assert.equal(keptText(tree.root), '');
    });
  }
});
