import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractAddressWords, extractLinkTexts, parseInstructions } from './instructions.ts';

const read = (text: string) => parseInstructions(text) ?? assert.fail(`${text} says nothing`);

describe('instructions', () => {
  test('are read without the words addressed to the crawler', () => {
    assert.equal(read('Find all pages about the Python SDK').query, 'the Python SDK');
  });
  test('that consist only of such words are taken literally', () => {
    assert.equal(read('find pages').query, 'find pages');
  });
  test('without a word are null', () => {
    assert.equal(parseInstructions('?!'), null);
  });
  test('are covered by texts with their words in any form, rare words first', () => {
    const { coverage } = read('pages on migrating birds');
    assert.ok(coverage('Bird migration') > 0.9);
    assert.ok(coverage('A bird') > 0 && coverage('A bird') < coverage('Bird migration'));
    assert.equal(coverage('Terms of service'), 0);
  });
});

test('an address is read as words', () => {
  assert.equal(
    extractAddressWords('https://a.b/Birds/knot_and-dunlin.html?x=caf%C3%A9').trim(),
    'Birds knot and dunlin html x café',
  );
  assert.match(extractAddressWords('https://a.b/%E0%A4%A'), /E0/);
});

test('each link has its first text', () => {
  const texts = extractLinkTexts(
    '[One](https://a.b/1) ![pic](https://a.b/p) [Two](https://a.b/2 "t") [again](https://a.b/1)',
  );
  assert.deepEqual(Object.fromEntries(texts), {
    'https://a.b/1': 'One',
    'https://a.b/p': 'pic',
    'https://a.b/2': 'Two',
  });
});

test('endless brackets take linear time', () => {
  for (const sign of ['[', '](', '[a](http:', '[]('])
    assert.ok(extractLinkTexts(sign.repeat(100_000)).size <= 1);
});
