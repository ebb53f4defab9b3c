import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { isElement, type TreeElement } from '../table-shape.ts';
import { detectHints, HINTS } from './hints.ts';

function first(html: string): TreeElement {
  let [element] = parseTree(`<body>${html}`).root.children;
  for (const tag of ['html', 'body']) {
    assert.ok(element !== undefined && isElement(element) && element.tag === tag);
    element = element.children.at(-1);
  }
  assert.ok(element !== undefined && isElement(element));
  return element;
}

describe('detectHints', () => {
  const cases: [html: string, hint: keyof typeof HINTS, has: boolean][] = [
    ['<nav></nav>', 'navigation', true],
    ['<div role="navigation"></div>', 'navigation', true],
    ['<div class="siteFooter"></div>', 'footer', true],
    ['<div class="post_comments"></div>', 'comment', true],
    ['<div id="cookie-banner"></div>', 'consent', true],
    ['<div class="related-posts"></div>', 'related', true],
    ['<div class="uploads"></div>', 'advert', false],
    ['<div class="shadow header-less"></div>', 'advert', false],
    ['<div class="constructor __proto__"></div>', 'footer', false],
  ];
  for (const [html, hint, has] of cases) {
    test(`${html} ${has ? 'is' : 'is not'} ${hint}`, () => {
      assert.equal((detectHints(first(html)) & HINTS[hint]) !== 0, has);
    });
  }
});
