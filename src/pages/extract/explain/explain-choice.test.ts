import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FEATURE_NAMES } from '../content/features/table.ts';
import { explainChoice } from './explain-choice.ts';

const SENTENCE = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
const PAGE = `<title>Night ferry to the island</title><nav><a href="/">Home</a> <a href="/n">News</a></nav>
  <main><article><h1>Night ferry to the island</h1><p>${SENTENCE.repeat(6)}</p><p>${SENTENCE.repeat(5)}</p></article>
  <div id="comments" class="comments-area"><p>What a trip that was, we were on board too.</p></div></main><footer><p>Imprint</p></footer>`;

describe('why a block is kept or dropped', () => {
  const { threshold, blocks } = explainChoice(PAGE, 'https://a.example/ferry');
  const blockWith = (text: string) => blocks.find((block) => block.text.startsWith(text));

  test('a kept block names its score and the features that moved it', () => {
    const block = blockWith('The ferry');
    assert.ok(block?.kept && threshold !== null && block.score >= threshold, JSON.stringify(block));
    assert.equal(block.section, 'main');
    assert.equal(block.rule, 'score');
    assert.ok(block.reasons.length > 0);
    for (const { feature } of block.reasons) assert.ok(FEATURE_NAMES.includes(feature), feature);
  });

  test('a comment names the rule that dropped it', () => {
    const block = blockWith('What a trip');
    assert.equal(block?.kept, false);
    assert.equal(block.section, 'comments');
    assert.equal(block.leftOut, 'comments');
    assert.equal(block.rule, 'comments below an article');
  });

  test('what stands around the content is its margin', () => {
    for (const text of ['Home', 'Imprint']) {
      assert.equal(blockWith(text)?.section, 'margin');
      assert.equal(blockWith(text)?.kept, false);
      assert.equal(blockWith(text)?.leftOut, text === 'Home' ? 'navigation' : 'footer');
    }
  });
});
