import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveScripted } from '../harness.ts';

type Listed = {
  type: string;
  function: { name: string; description: string; parameters: { type: string } };
}[];

test('GET /tools.json: every tool as a function, without keys where nothing is metered', async (t) => {
  const metered = await serveScripted({ brand: 'acme' });
  const open = await serveScripted({ brand: 'acme', terms: null });
  t.after(() => Promise.all([metered.close(), open.close()]));
  const answer = await metered.get('/tools.json');
  const functions: Listed = answer.json;
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  const names = functions.map((one) => one.function.name);
  for (const name of ['acme_search', 'acme_read', 'acme_balance']) assert.ok(names.includes(name), name);
  for (const one of functions) {
    assert.deepEqual([one.type, one.function.parameters.type], ['function', 'object']);
    assert.match(one.function.name, /^[a-z_]{1,64}$/);
    assert.ok(one.function.description.length > 0);
  }
  const free: Listed = (await open.get('/tools.json')).json;
  assert.ok(!free.some((one) => one.function.name === 'acme_balance'));
  assert.ok(!JSON.stringify(free).includes('credit'));
});
