import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../contract/limits.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  type KnownFields,
} from './ignored-fields.ts';
import { parseBody, parseJson, readJsonObject, toCamelCase } from './json-body.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const refusal = (text: string): string => {
  try {
    parse(text);
    return 'parsed';
  } catch (error) {
    return error instanceof Failure ? error.message : String((error as Error).name);
  }
};

const Schema = z.object({
  numResults: z.number('must be a number').optional(),
  domains: z.array(z.string('must be a string')).optional(),
  contents: z
    .object({ text: z.object({ maxCharacters: z.number('must be a number').optional() }).optional() })
    .optional(),
});

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

function problems(body: Record<string, unknown>): string[] {
  try {
    parseBody(Schema, body);
    return [];
  } catch (error) {
    return (error as Failure).fields.map(({ field }) => field);
  }
}

describe('names', () => {
  test('snake_case and camelCase are equal at every depth', () => {
    const wanted = { numResults: 3, contents: { text: { maxCharacters: 5 } } };
    assert.deepEqual(
      parseBody(Schema, { num_results: 3, contents: { text: { max_characters: 5 } } }),
      wanted,
    );
    assert.deepEqual(parseBody(Schema, { numResults: 3, contents: { text: { maxCharacters: 5 } } }), wanted);
  });

  test('if both spellings are given, camelCase wins, and null counts as absent', () => {
    assert.deepEqual(parseBody(Schema, { num_results: 1, numResults: 2 }), { numResults: 2 });
    assert.deepEqual(parseBody(Schema, { numResults: 2, num_results: 1 }), { numResults: 2 });
    assert.deepEqual(parseBody(Schema, { numResults: null, num_results: 1 }), { numResults: 1 });
  });

  test('null is absent at every depth, unknown fields of any kind are ignored', () => {
    const body = {
      numResults: null,
      contents: { text: null, extras: { links: 'x' } },
      _x: 1,
      flags: 7,
      __proto__: 1,
    };
    assert.deepEqual(parseBody(Schema, body), { contents: {} });
  });
});

describe('problems', () => {
  test('are named as the caller spelled the field', () => {
    assert.deepEqual(problems({ num_results: 'x' }), ['num_results']);
    assert.deepEqual(problems({ numResults: 'x' }), ['numResults']);
    assert.deepEqual(problems({ numResults: null, num_results: 'x' }), ['num_results']);
    assert.deepEqual(problems({ contents: { text: { max_characters: 'x' } } }), [
      'contents.text.max_characters',
    ]);
    assert.deepEqual(problems({ domains: ['a', 1] }), ['domains[1]']);
  });

  test('the message shows the first, the details show all', () => {
    assert.throws(() => parseBody(Schema, { num_results: 'x', domains: [1] }), {
      code: 'validation_error',
      message: 'num_results: must be a number',
      fields: [
        { field: 'num_results', message: 'must be a number' },
        { field: 'domains[0]', message: 'must be a string' },
      ],
    });
  });
});

describe('bodies', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test('an object is read, with a byte order mark too', () => {
    assert.deepEqual(readJsonObject(bytes('\uFEFF{"a":1}')), { a: 1 });
  });

  for (const text of ['', ' ', '{', 'null', '7', '"text"', '[]', '[{}]', '{"a":1}x'])
    test(`${JSON.stringify(text)} is refused`, () => {
      assert.throws(() => readJsonObject(bytes(text)), {
        code: 'validation_error',
        message: /^body: must be /,
      });
    });

  test('no body is refused', () => {
    assert.throws(() => readJsonObject(undefined), { code: 'validation_error' });
  });
});

test('any object at all is parsed or refused as a validation error', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
      try {
        parseBody(Schema, body);
      } catch (error) {
        assert.equal((error as Failure).code, 'validation_error');
      }
    }),
  );
});

test('a name too long for any field is ignored cheaply', () => {
  const name = 'a_'.repeat(100_000);
  assert.deepEqual(parseBody(Schema, { [name]: 1, num_results: 1 }), { numResults: 1 });
  assert.equal(toCamelCase(name), name);
});

test('reads JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
  );
});

describe('refuses', () => {
  test('too many levels, not counting brackets in strings', () => {
    assert.deepEqual(parse(nested(JSON_DEPTH_MAX)), JSON.parse(nested(JSON_DEPTH_MAX)));
    assert.match(refusal(nested(JSON_DEPTH_MAX + 1)), /^body: must not nest deeper than 64 levels$/);
    const text = JSON.stringify(`\\"${nested(JSON_DEPTH_MAX + 1)}\\`);
    assert.equal(parse(text), JSON.parse(text));
  });

  test('too many names and values, without reading on', () => {
    const list = (commas: number): string => `[${'1,'.repeat(commas)}1]`;
    assert.equal(refusal(list(JSON_VALUES_MAX - 1)), 'parsed');
    const tooMany = /^body: must not have more than 2,000 names and values$/;
    assert.match(refusal(list(JSON_VALUES_MAX)), tooMany);
    const names = Array.from({ length: JSON_VALUES_MAX }, (_, place) => `"k${place}":1`);
    assert.match(refusal(`{${names.join(',')}}`), tooMany);
    // The invalid JSON that follows is never read.
    assert.match(refusal(`${'['.repeat(10)}${','.repeat(JSON_VALUES_MAX)}"open`), tooMany);
  });

  test('invalid JSON', () => {
    for (const text of ['', '{', '"open', '"\\', ']]]]', '{"a":}'])
      assert.equal(refusal(text), 'SyntaxError', text);
  });
});
