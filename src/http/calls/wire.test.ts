import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import type { Failure } from '../../contract/errors.ts';
import { parseBody, readJsonObject, toCamelCase } from './wire.ts';

const Schema = z.object({
  numResults: z.number('must be a number').optional(),
  domains: z.array(z.string('must be a string')).optional(),
  contents: z
    .object({ text: z.object({ maxCharacters: z.number('must be a number').optional() }).optional() })
    .optional(),
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
