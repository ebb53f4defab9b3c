import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallGate } from './open-redis.ts';

const NEVER = new Promise<string>(() => {});
const clock = { now: () => 0 };

test('a call whose caller has no time left is waited for no longer, and says nothing about the store', async () => {
  const gate = createCallGate(clock, { callMs: 60_000, atOnceMax: 2 });
  for (let call = 0; call < 5; call += 1) {
    const caller = new AbortController();
    const passed = gate.pass(() => NEVER, caller.signal);
    caller.abort();
    assert.equal(await passed, null);
  }
  assert.equal(gate.isOpen(), true);
  assert.equal(await gate.pass(async () => 'reply'), 'reply', 'no place is taken by those that were left');
});

test('a caller without time does not ask at all', async () => {
  const gate = createCallGate(clock, { callMs: 60_000, atOnceMax: 2 });
  let asked = 0;
  const call = async (): Promise<number> => (asked += 1);
  assert.equal(await gate.pass(call, AbortSignal.abort()), null);
  assert.equal(asked, 0);
});

test('three calls without a reply in time close the gate', async () => {
  const gate = createCallGate(clock, { callMs: 1, atOnceMax: 2 });
  for (let call = 0; call < 3; call += 1) assert.equal(await gate.pass(() => NEVER), null);
  assert.equal(gate.isOpen(), false);
});
