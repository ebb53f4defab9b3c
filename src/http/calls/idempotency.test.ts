import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Failure } from '../../contract/errors.ts';
import { HungUp, type PricedRoute } from './call.ts';
import type { ChargedAnswer } from './charged-call.ts';
import { runOnce } from './idempotency.ts';

/** Runs one call with a key over a scripted store. `log` names what became of the key, and `hangUp` ends the connection. */
function scripted() {
  const log: unknown[] = [];
  const hungUp = new AbortController();
  const place = { begun: false };
  const route: PricedRoute = {
    method: 'POST',
    paths: ['/p'],
    callers: 'payer',
    limit: { ms: 1_000, late: () => assert.fail('late') },
    prepare: () => assert.fail('prepared'),
  };
  const call = {
    requestId: 'r',
    target: '/p',
    params: {},
    query: new URLSearchParams(),
    headers: { 'idempotency-key': 'k' },
    body: {},
    bytes: new Uint8Array(),
    caller: { kind: 'keyless', address: '192.0.2.1' } as const,
    address: '192.0.2.1',
    tenant: undefined,
    keep: true,
  };
  const attempt = {
    finish: async (response: unknown) => void log.push(response === null ? 'done' : 'kept'),
    release: async () => void log.push('released'),
  };
  const deps = {
    idempotency: { begin: async () => ({ outcome: 'begun', attempt }) as const },
    forgettings: { notice: () => 1 },
    meter: { remaining: async () => null },
  };
  return {
    log,
    place,
    hangUp: () => hungUp.abort(),
    run: (work: () => Promise<ChargedAnswer>) =>
      runOnce(
        { route, call, hungUp: hungUp.signal, hasBegun: () => place.begun, setRemaining() {} },
        deps,
        work,
      ),
  };
}

const ANSWER: ChargedAnswer = { used: 1, body: { a: 1 } };

test('what a call leaves out is kept if it was charged, and asked for again if it was free', async () => {
  for (const [used, fate] of [
    [1, 'kept'],
    [0, 'released'],
  ] as const) {
    const { log, run } = scripted();
    await run(async () => ({ ...ANSWER, used, incomplete: ['answer'] }));
    assert.deepEqual(log, [fate]);
  }
});

test('a free answer that is whole is kept, and a stream only as done', async () => {
  const free = scripted();
  await free.run(async () => ({ ...ANSWER, used: 0 }));
  assert.deepEqual(free.log, ['kept']);
  const streamed = scripted();
  await streamed.run(async () => ({ ...ANSWER, body: Readable.from(['a']) }));
  assert.deepEqual(streamed.log, ['done']);
});

test('a failed call and one whose caller hung up before the response began free the key; later they do not', async () => {
  const failed = scripted();
  await assert.rejects(
    failed.run(async () => {
      throw new Failure('overloaded', 'full');
    }),
    { code: 'overloaded' },
  );
  assert.deepEqual(failed.log, ['released']);
  const during = scripted();
  const ended = during.run(async () => {
    during.hangUp();
    return ANSWER;
  });
  await assert.rejects(ended, HungUp);
  assert.deepEqual(during.log, ['kept', 'released']);
  const between = scripted();
  await between.run(async () => ANSWER);
  between.hangUp();
  assert.deepEqual(between.log, ['kept', 'released']);
  const after = scripted();
  await after.run(async () => ANSWER);
  after.place.begun = true;
  after.hangUp();
  assert.deepEqual(after.log, ['kept']);
});
