import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQuery } from '../query/read-query.ts';
import { detectQueryLanguage, findEmptyWords } from './light-words.ts';
import { STOP_WORDS } from './stop-words.ts';

describe('words that questions are put with', () => {
  test('every language with function words has some', () => {
    for (const language of Object.keys(STOP_WORDS))
      assert.ok(findEmptyWords(language).light.size > 10, language);
  });

  test('carry no weight of their own in a query, in its own language', () => {
    const asked: [query: string, language: string, telling: string[]][] = [
      ['how do turnstones find food', 'en', ['turnston', 'food']],
      ['wie finden Steinwälzer ihre Nahrung', 'de', ['steinwalz', 'nahrung']],
      ['comment les oiseaux trouvent-ils le chemin', 'fr', ['oiseau', 'chemin']],
    ];
    for (const [query, language, telling] of asked) {
      const terms = readQuery(query).forIndex(['en', language]);
      const left = terms.filter(({ stop, light, kind }) => !stop && !light && kind === 'word');
      assert.equal(left.length, telling.length, `${query}: ${JSON.stringify(left)}`);
    }
  });
});

describe('detectQueryLanguage', () => {
  const languageOf = (query: string, ...languages: string[]) => {
    const read = readQuery(query);
    return detectQueryLanguage(languages, read.terms);
  };
  test('is the language of the index whose function words the query says most', () => {
    assert.equal(languageOf('wie kann ich die Datei finden', 'en', 'de', 'fr'), 'de');
    assert.equal(languageOf('comment puis-je trouver le fichier', 'en', 'de', 'fr'), 'fr');
  });
  test('is English where no other is said more', () => {
    assert.equal(languageOf('die casting of zinc', 'en', 'de'), null);
    assert.equal(languageOf('sanderling', 'de', 'fr'), null);
    assert.equal(languageOf('wie kann ich die Datei finden', 'en'), null);
  });
});
