import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMapping } from './firecrawl-formats.ts';

/** A schema of so many properties, itself included. */
const schemaOf = (fields: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: fields - 1 }, (_, number) => [`field${number}`, { selector: 'p' }]),
  ),
});

test('a schema has at most 200 properties', () => {
  const said: string[] = [];
  const complain = (message: string): void => void said.push(message);
  assert.notEqual(parseMapping({ schema: schemaOf(200) }, complain), null);
  assert.deepEqual(said, []);
  assert.equal(parseMapping({ schema: schemaOf(201) }, complain), null);
  assert.deepEqual(said, ['schema.field199 must be a schema, at most 6 levels deep and of 200 properties']);
});
