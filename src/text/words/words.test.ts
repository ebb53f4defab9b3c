import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStopWord } from './stop-words.ts';
import { parseTerms, tokenizeWords } from './words.ts';

describe('wordsOf', () => {
  const table: [text: string, language: string | null, terms: string][] = [
    ['Running dogs, quickly!', 'en', 'run dog quick'],
    ['Running dogs', null, 'run dog'],
    ['Running dogs', 'xx', 'running dogs'],
    ['die Häuser', 'de', 'die haus'],
    ['das Haus', 'de-AT', 'das haus'],
    ['Café CAFÉ cafe\u0301', 'en', 'cafe cafe cafe'],
    ['Straße Łódź Ærø', 'xx', 'strasse lodz aero'],
    ['Ёлка и ёлка', 'xx', 'елка и елка'],
    ['Ω Ωραίος', 'xx', 'ω ωραιοσ'],
    ['os.path.join(a)', 'en', 'os path join os.path.join a'],
    ['log_temp_files', 'en', 'log temp file log_temp_files'],
    ['CamelCase XMLParser', 'en', 'camelcas camel case xmlparser xml parser'],
    ['PQparamtype', 'en', 'pqparamtyp'],
    ['__init__', 'en', 'init __init__'],
    ['--unit $libdir @wraps', 'en', 'unit --unit libdir $libdir wrap @wraps'],
    ['C++ and C#.', 'en', 'c c++ and c c#'],
    ['std::move', 'en', 'std move std::move'],
    ['e-mail UTF-8', 'en', 'e mail email utf 8 utf8'],
    ["don't the page's l'homme", 'en', 'don the page homm'],
    ['sqlite3', 'en', 'sqlite3 sqlite'],
    ['ｆｕｌｌ　ｗｉｄｔｈ', 'en', 'full width'],
    ['東京都', null, '東京 京都'],
    ['猫', null, '猫'],
    ['ひらがな', null, 'ひら らが がな'],
    ['서울에서', null, '서울 울에 에서'],
    ['ภาษาไทย', null, 'ภาษ าษา ษาไ าไท ไทย'],
    ['ພາສາ', null, 'ພາສ າສາ'],
    ['SQLで検索', null, 'sql で検 検索'],
    ['कुत्ता', 'xx', 'कुत्ता'],
    ['كِتَاب', 'xx', 'كتاب'],
    ['', null, ''],
  ];
  for (const [text, language, terms] of table) {
    test(`${JSON.stringify(text)} in ${language}`, () => {
      assert.equal(tokenizeWords(text, language).join(' '), terms);
    });
  }

  /** What a text and a query have in common by the law that they are listed under. */
  const rules: Record<string, [text: string, query: string, language: string | null][]> = {
    'a number is whole, however it is grouped': [
      ['1,000,000 rows', '1000000', 'en'],
      ['12,345.67', '12345.67', 'en'],
    ],
    'a version is whole': [
      ['Python 3.11.2', '3.11.2', 'en'],
      ['since v2 of it', 'v2', 'en'],
      ['release v2.1.0', 'v2.1.0', 'en'],
    ],
    'an identifier is found whole and by its parts': [
      ['getElementById', 'getElementById', 'en'],
      ['getElementById', 'element', 'en'],
      ['max_heap_size', 'max_heap_size', 'en'],
      ['max_heap_size', 'heap', 'en'],
      ['align-items', 'align-items', 'en'],
      ['align-items', 'align', 'en'],
      ['std::vector<int>', 'std::vector', 'en'],
      ['std::vector<int>', 'vector', 'en'],
      ['Array.prototype.map()', 'Array.prototype.map', 'en'],
      ['Array.prototype.map()', 'prototype', 'en'],
      ['HTTP2Server', 'server', 'en'],
    ],
    'endings make no difference in the language of the text': [
      ['the birds are running', 'bird', 'en'],
      ['die Vögel der Küste', 'Vogel', 'de'],
      ['les oiseaux chantaient', 'chanter', 'fr'],
      ['las canciones', 'canción', 'es'],
      ['os pássaros', 'pássaro', 'pt'],
      ['gli uccelli', 'uccello', 'it'],
      ['de boeken', 'boek', 'nl'],
      ['бегущие собаки', 'собака', 'ru'],
      ['fåglarna', 'fåglar', 'sv'],
    ],
    'accents make no difference': [
      ['naïve façade', 'facade', 'en'],
      ['Łódź', 'lodz', 'en'],
    ],
    'a script without spaces is found by any stretch of it': [
      ['東京都の天気', '天気', 'ja'],
      ['北京大学图书馆', '图书馆', 'zh'],
      ['한국어에서', '한국어', 'ko'],
      ['ภาษาไทย', 'ไทย', 'th'],
    ],
  };
  for (const [rule, examples] of Object.entries(rules)) {
    for (const [text, query, language] of examples) {
      test(`${rule}: ${query} in ${text}`, () => {
        const terms = new Set(tokenizeWords(text, language));
        const sought = tokenizeWords(query, language);
        assert.ok(sought.length > 0 && sought.every((term) => terms.has(term)), [...terms].join(' '));
      });
    }
  }

  test('the same text in another normal form has the same terms', () => {
    for (const [text, language] of table) {
      assert.deepEqual(
        tokenizeWords(text.normalize('NFD'), language),
        tokenizeWords(text.normalize('NFC'), language),
      );
    }
  });

  test('a term is bounded', () => {
    assert.ok(
      tokenizeWords(`${'x'.repeat(10_000)} ${'a_'.repeat(5_000)}b`, 'en').every((term) => term.length <= 64),
    );
  });
});

test('places grow by one per word and a whole stands where its first part stands', () => {
  assert.deepEqual(
    parseTerms('call os.path now', 'xx').map(({ text, place }) => `${text}@${place}`),
    ['call@0', 'os@1', 'path@2', 'os.path@1', 'now@3'],
  );
});

test('stop words are known by their stems', () => {
  assert.ok(tokenizeWords('How does this do its having', 'en').every(isStopWord));
  assert.ok(!isStopWord('codec'));
});

test('a word that the Bulgarian stemmer cannot take stays as it is', () => {
  assert.deepEqual(tokenizeWords('слюаъс', 'bg'), ['слюаъс']);
});
