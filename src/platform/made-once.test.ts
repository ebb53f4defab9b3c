import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMadeOnce } from './made-once.ts';

test('what is made of an object is made once for each way, of which few are kept', () => {
  const madeOnce = createMadeOnce<object, { way: string }>();
  const kept = {};
  const ask = (way: string): { way: string } => madeOnce(kept, way, () => ({ way }));
  const first = ask('a');
  assert.equal(ask('a'), first);
  assert.deepEqual(ask('b'), { way: 'b' });
  assert.equal(ask('a'), first);
  assert.notEqual(
    madeOnce({}, 'a', () => ({ way: 'a' })),
    first,
  );
  for (const way of ['c', 'd', 'e']) ask(way);
  assert.notEqual(ask('a'), first);
});
