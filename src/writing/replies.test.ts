import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createStatementReader } from './replies.ts';

const STATEMENT = { text: 'It is "54 m" {tall}.', support: [{ passage: 1, quote: 'a } \\" b' }] };
const REPLY = `<think>{"text": "a draft", "support": []}</think>\n{"statements": [${JSON.stringify(STATEMENT)}, ${JSON.stringify(STATEMENT)}]}`;

describe('createStatementReader', () => {
  for (const chars of [1, 7, REPLY.length])
    test(`reads each statement once, from pieces of ${chars} characters, and no thoughts`, () => {
      const reader = createStatementReader();
      const pieces = REPLY.match(new RegExp(`[^]{1,${chars}}`, 'g')) ?? [];
      assert.deepEqual(
        pieces.flatMap((piece) => reader.read(piece)),
        [STATEMENT, STATEMENT],
      );
    });

  test('gives a statement as soon as its object is closed', () => {
    const reader = createStatementReader();
    assert.deepEqual(reader.read(`{"statements": [${JSON.stringify(STATEMENT).slice(0, -1)}`), []);
    assert.deepEqual(reader.read('}'), [STATEMENT]);
  });
});
