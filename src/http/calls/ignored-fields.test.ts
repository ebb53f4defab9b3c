import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  type KnownFields,
} from './ignored-fields.ts';

const READ: KnownFields = {
  query: true,
  numResults: true,
  contents: { text: { maxCharacters: true }, highlights: true },
};

test('lists fields without effect as the caller spelled them, at every depth; null counts as absent', () => {
  const body = {
    query: 'q',
    num_results: 3,
    category: 'news',
    flags: [],
    useAutoprompt: null,
    contents: {
      text: { max_characters: 5, includeHtmlTags: true },
      live_crawl: 'always',
      highlights: { any: 1 },
    },
  };
  assert.deepEqual(findIgnoredFields(body, READ), [
    'category',
    'flags',
    'contents.text.includeHtmlTags',
    'contents.live_crawl',
  ]);
});

test('a field named after an Object.prototype member is ignored too', () => {
  assert.deepEqual(findIgnoredFields({ constructor: 1, to_string: 2, __proto__x: 3 }, READ), [
    'constructor',
    'to_string',
    '__proto__x',
  ]);
});

test('the list is bounded', () => {
  const body = Object.fromEntries(
    Array.from({ length: 500 }, (_, number) => [`${'x'.repeat(200)}${number}`, 1]),
  );
  const names = findIgnoredFields(body, READ);
  assert.ok(names.length === 20 && names.every((name) => name.length <= 80));
});

test('the header names what was ignored, in characters that a header may hold', () => {
  assert.deepEqual(buildIgnoredHeader([]), {});
  assert.deepEqual(buildIgnoredHeader(['contents.live_crawl', 'a,b\r\nSet-Cookie: x', 'größe', '\ud800']), {
    'X-Ignored-Parameters': 'contents.live_crawl, a%2Cb%0D%0ASet-Cookie%3A%20x, gr%C3%B6%C3%9Fe, %EF%BF%BD',
  });
});

test('known fields are those named and the key', () => {
  assert.deepEqual(findIgnoredFields({ query: 'q', api_key: 'k', other: 1 }, buildKnownFields(['query'])), [
    'other',
  ]);
});
