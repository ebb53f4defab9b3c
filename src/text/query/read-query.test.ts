import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQuery } from './read-query.ts';

describe('readQuery', () => {
  test('a text is read once while it is among the last sixteen', () => {
    const first = readQuery('red knot');
    assert.equal(readQuery('red knot'), first);
    for (let other = 0; other < 16; other += 1) readQuery(`other ${other}`);
    assert.notEqual(readQuery('red knot'), first);
  });

  test('each view is made once, those that depend on a language once for each', () => {
    const query = readQuery('Where do sanderlings breed?');
    assert.equal(query.traits(), query.traits());
    assert.equal(query.forResults(), query.forResults());
    assert.equal(query.forPassages('de'), query.forPassages('de'));
    assert.notEqual(query.forPassages('de'), query.forPassages('en'));
    assert.equal(query.asQuestion(null), query.asQuestion(null));
  });

  test('languages of one stemmer share the terms', () => {
    const query = readQuery('wading birds of the coast');
    for (const language of ['en', 'en-GB', 'EN_us']) assert.equal(query.terms(language), query.terms(null));
    assert.notEqual(query.terms('de'), query.terms(null));
  });

  test('any number of declared languages leaves a bounded memory', () => {
    const query = readQuery('tide tables');
    const first = query.forPassages('x0');
    for (let other = 1; other <= 8; other += 1) query.forPassages(`x${other}`);
    assert.notEqual(query.forPassages('x0'), first);
    assert.deepEqual(query.forPassages('x0'), first);
  });

  test('a language that is named like a property of every object has no stop words', () => {
    for (const language of ['constructor', '__proto__', 'toString'])
      assert.deepEqual(readQuery('tide tables').forPassages(language).terms, ['tide', 'tables']);
  });

  test('a query that fits a source is passed on as the same value', () => {
    const query = readQuery('red knot migration');
    assert.equal(query.condensed({ chars: 40, words: null }), query);
    assert.equal(query.condensed({ chars: 9, words: 1 })?.text, 'migration');
    assert.equal(query.condensed({ chars: 2, words: null }), null);
  });

  test('it refuses to be sent to a thread, which would get it without its views', () => {
    assert.throws(() => structuredClone(readQuery('red knot')), { name: 'DataCloneError' });
  });
});

test('the topic of a question begins where its phrasing ends', () => {
  for (const [text, topic] of [
    ['how to use a connection pool', 'connection pool'],
    ['what is the best way to hide passwords without a plugin', 'hide passwords without a plugin'],
    ['connection pool', 'connection pool'],
    ['how to use it', 'how to use it'],
    ['?!', '?!'],
  ] as const)
    assert.equal(readQuery(text).topic(), topic);
});
