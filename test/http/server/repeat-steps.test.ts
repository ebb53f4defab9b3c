import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import { searchAnswer, serveScripted } from '../../harness.ts';
import { open, PROBE, parsed, post, settled } from './byte-client.ts';

describe('the steps of a repeated request', () => {
  const found = { keyId: 'key_1', noStore: false };

  test('it is logged and counted as any other, and has its own id', async (t) => {
    const ended: { route: string | null; status: number }[] = [];
    const events = {
      requestEnded: (line: { route: string | null; status: number }) => void ended.push(line),
      stagesTimed() {},
    };
    const app = await serveScripted({
      search: async () => searchAnswer({ cache: 'hit' }),
      findKey: async () => found,
      events: new Proxy(events, { get: (own, name) => Reflect.get(own, name) ?? (() => {}) }) as never,
    });
    t.after(() => app.close());
    const client = await open(t, app.address);
    const request = post('/v1/search', 'k', { query: 'a' });
    for (let calls = 0; calls < 2; calls += 1) await client.send(request);
    const { count } = await parsed(() => client.send(request));
    assert.equal(count, 0);
    await client.send(PROBE);
    const lines = ended.slice(0, 3).map(({ route, status }) => ({ route, status }));
    assert.deepEqual(lines, Array(3).fill({ route: '/v1/search', status: 200 }));
  });

  test('503 without room, and a failure of the call: the same bytes as ever', async (t) => {
    let hasRoom = true;
    let fails = false;
    const app = await serveScripted({
      async search() {
        if (fails) throw new Failure('recall_unavailable', 'No source answered.');
        return searchAnswer({ cache: 'hit' });
      },
      findKey: async () => found,
      requestLimit: { enter: () => (hasRoom ? () => {} : null), hasPlace: () => true },
    });
    t.after(() => app.close());
    const client = await open(t, app.address);
    const request = post('/v1/search', 'k', { query: 'a' });
    for (let calls = 0; calls < 2; calls += 1) await client.send(request);
    for (const [room, failing] of [
      [false, false],
      [true, true],
    ] as const) {
      [hasRoom, fails] = [true, false];
      const other = await open(t, app.address);
      [hasRoom, fails] = [room, failing];
      const long = await other.send(request);
      const { value: again, count } = await parsed(() => client.send(request));
      assert.match(again, /^HTTP\/1\.1 503 /);
      assert.equal(settled(again), settled(long));
      assert.equal(count, 0);
    }
  });

  test('a caller that hangs up before its answer leaves is not charged', async (t) => {
    const asked = Promise.withResolvers<AbortSignal>();
    const go = Promise.withResolvers<void>();
    const refunded = Promise.withResolvers<void>();
    let calls = 0;
    const app = await serveScripted({
      async search({ signal }) {
        calls += 1;
        if (calls === 3) {
          asked.resolve(signal);
          await go.promise;
        }
        return searchAnswer({ cache: 'hit' });
      },
      findKey: async () => found,
      meter: {
        remaining: async () => 1,
        beginCharge: async () => ({
          ...{ refuseIfKnown() {}, hold: async () => {}, holdUpTo: async (most: number) => most },
          ...{ charge: async () => {}, settle: async () => {}, spendable: async () => 1 },
          ...{ remaining: async () => 1, stated: (used: number) => used },
          refund: async () => refunded.resolve(),
        }),
      },
    });
    t.after(() => app.close());
    const client = await open(t, app.address);
    const request = post('/v1/search', 'k', { query: 'a' });
    for (let sent = 0; sent < 2; sent += 1) await client.send(request);
    client.write(request);
    const signal = await asked.promise;
    client.socket.destroy();
    await refunded.promise;
    assert.equal(signal.reason.name, 'HungUp');
    go.resolve();
  });
});
