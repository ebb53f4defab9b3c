import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMadeOnce, loadedByFirstUse } from './made-once.ts';

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

test('a part is loaded by its first use, once, and again only after a failure', async () => {
  const loads: string[] = [];
  let fails = true;
  const part = loadedByFirstUse(async () => {
    loads.push(fails ? 'failed' : 'loaded');
    if (fails) throw new Error('no such file');
    return { name: 'part' };
  });
  assert.deepEqual(loads, []);
  await assert.rejects(part(), /no such file/);
  fails = false;
  const [first, second] = await Promise.all([part(), part()]);
  assert.equal(first, second);
  assert.deepEqual(loads, ['failed', 'loaded']);
});
