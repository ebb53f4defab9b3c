import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLazyLoader } from './lazy.ts';

test('a part is loaded by its first use, once, and again only after a failure', async () => {
  const loads: string[] = [];
  let fails = true;
  const part = createLazyLoader(async () => {
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
