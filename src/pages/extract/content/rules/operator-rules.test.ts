import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainChoice } from '../../explain/explain-choice.ts';
import { extractWithExtras } from '../../extract-html.ts';
import { type Selector, validateSelector } from '../../selector.ts';
import type { OperatorRule } from './operator-rules.ts';

const SENTENCE = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
const PAGE = `<title>Night ferry</title><nav>Home</nav><main><h1>Night ferry</h1><p>${SENTENCE.repeat(8)}</p>
  <p class="promo">Travellers who took the night ferry liked our guide to the islands of the north sea very much.</p>
  <p>${SENTENCE.repeat(4)}</p><table class="times"><tr><td>Monday 08:15</td></tr><tr><td>Sunday 09:30</td></tr></table></main>
  <footer><p class="imprint">Harbour office, Quay 4</p></footer>`;
const URL_ = 'https://a.example/ferry';
const NONE: OperatorRule = { keep: [], drop: [], dataTables: [], layoutTables: [] };

function select(...texts: string[]): Selector[] {
  return texts.map((text) => {
    const selector = validateSelector(text);
    assert.ok(typeof selector === 'string');
    return selector;
  });
}

const extractWith = (rule: Partial<OperatorRule>) =>
  extractWithExtras(PAGE, URL_, null, { rule: { ...NONE, ...rule } }).article;

describe("an operator's rule for a site", () => {
  test('keeps what would be left out, and drops what would be kept', () => {
    assert.doesNotMatch(extractWith({}).markdown, /Quay 4/);
    assert.match(extractWith({}).markdown, /our guide/);
    const { markdown, completeness } = extractWith({ keep: select('.imprint'), drop: select('.promo') });
    assert.match(markdown, /Quay 4/);
    assert.doesNotMatch(markdown, /our guide/);
    assert.equal(completeness?.leftOut.rule, 18);
  });

  test('the inner element decides where both match', () => {
    const { markdown } = extractWith({ drop: select('body'), keep: select('.promo') });
    assert.match(markdown, /^Travellers/);
    assert.doesNotMatch(markdown, /ferry left/);
  });

  test('says which tables hold data, and which arrange the page', () => {
    const table =
      '<table class="times"><tr><th>Day</th><th>Time</th></tr><tr><td>Monday</td><td>08:15</td></tr></table>';
    const page = `<main><h1>Night ferry</h1><p>${SENTENCE.repeat(8)}</p>${table}<p>${SENTENCE}</p></main>`;
    const read = (rule: Partial<OperatorRule>) =>
      extractWithExtras(page, URL_, null, { rule: { ...NONE, ...rule } }).article.markdown;
    assert.match(read({}), /\| Monday \| 08:15 \|/);
    assert.doesNotMatch(read({ layoutTables: select('.times') }), /\|/);
    assert.doesNotMatch(extractWith({ keep: select('.times') }).markdown, /\|/);
    assert.match(
      extractWith({ dataTables: select('.times'), keep: select('.times') }).markdown,
      /\| Monday 08:15 \|/,
    );
  });

  test('is named where it decided', () => {
    const { blocks } = explainChoice(PAGE, URL_, { ...NONE, drop: select('.promo') });
    const promo = blocks.find(({ text }) => text.startsWith('Travellers'));
    assert.deepEqual([promo?.kept, promo?.leftOut, promo?.rule], [false, 'rule', 'rule for the site']);
  });
});
