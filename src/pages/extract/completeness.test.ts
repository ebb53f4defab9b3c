import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { measureCompleteness } from './completeness.ts';
import { chooseContent } from './content/choose-content.ts';
import { extractHtml } from './extract-html.ts';
import { parseTree } from './parse/build-tree.ts';

const SENTENCE = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
const FARES = '<table><tr><th>Fare<th>Price</tr><tr><td>Adult<td>12</tr><tr><td>Child<td>6</tr></table>';
const PAGE = `<title>Night ferry</title><nav><a href="/">Home</a> <a href="/n">News</a></nav>
  <main><article><h1>Night ferry</h1><p>${SENTENCE.repeat(6)}</p><h2>Fares</h2>${FARES}<figure><img src="/ferry.png" alt="the ferry"><figcaption>The ferry</figcaption></figure><p>${SENTENCE.repeat(5)}</p>
  <ul><li>Passengers bring a warm coat for the night, since the deck is cold.</li><li>Passengers bring a ticket, which they buy at the office.</li></ul><pre>depart 06:10\narrive 08:00</pre>
  <p>It takes <math><mi>t</mi><mo>=</mo><mn>2</mn></math> hours.</p></article></main>`;

describe('what a page shows and what its Markdown has', () => {
  test('each kind is counted on both sides', () => {
    const { completeness } = extractHtml(PAGE, 'https://a.example/ferry');
    assert.deepEqual(completeness?.tables, [1, 1]);
    assert.deepEqual(completeness?.rows, [3, 3]);
    assert.deepEqual(completeness?.code, [1, 1]);
    assert.deepEqual(completeness?.formulas, [1, 1]);
    assert.deepEqual(completeness?.figures, [1, 1]);
    assert.deepEqual(completeness?.items, [2, 2]);
    assert.deepEqual(completeness?.sections, [2, 2]);
    const [kept = 0, found = 0] = completeness?.words ?? [];
    assert.ok(kept > 150 && found >= kept, `${kept} of ${found}`);
    assert.equal(completeness?.leftOut.navigation, 2);
  });

  test('what is missing in the Markdown shows, whatever the choice says', () => {
    const url = 'https://a.example/ferry';
    const { view, kept } = chooseContent(parseTree(PAGE), { url });
    const { markdown } = extractHtml(PAGE, url);
    const withoutRow = markdown.replace('| Child | 6 |\n', '');
    assert.deepEqual(measureCompleteness(view, kept, withoutRow).rows, [2, 3]);
    const withoutCode = markdown.replaceAll('```', '');
    assert.deepEqual(measureCompleteness(view, kept, withoutCode).code, [0, 1]);
    assert.deepEqual(measureCompleteness(view, kept, '').tables, [0, 1]);
  });

  test('tables of a menu and of related pages are not missed', () => {
    const menu = `<nav>${FARES}</nav><div class="related">${FARES}</div>`;
    const { completeness } = extractHtml(PAGE.replace('</main>', `</main>${menu}`), 'https://a.example/f');
    assert.deepEqual(completeness?.tables, [1, 1]);
  });

  test('a text without markup of a page has none', () => {
    assert.equal(extractHtml('', 'https://a.example/').completeness?.tables[1] ?? 0, 0);
  });
});
