import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { PricedRoute } from './call.ts';
import { type Arrival, type RunRouteDeps, runRoute } from './run-route.ts';

const full = new Failure('overloaded', 'full');

/** A priced route whose caller `k` may be refused, and a log of its turns. */
function scripted(assignLoad: (tenant: Tenant, times: number) => void) {
  const done: string[] = [];
  let times = 0;
  const route: PricedRoute = {
    method: 'POST',
    paths: ['/p'],
    callers: 'payer',
    limit: { ms: 1_000, late: () => full },
    prepare: () => assert.fail('prepared'),
  };
  const arrival: Arrival = {
    requestId: 'r',
    target: '/p',
    params: {},
    query: new URLSearchParams(),
    headers: { 'x-api-key': 'k' },
    bytes: new TextEncoder().encode('{}'),
    address: '192.0.2.1',
    hungUp: new AbortController().signal,
    hasBegun: () => false,
    assignLoad: (tenant) => assignLoad(tenant, ++times),
    setRemaining: () => assert.fail('charged'),
  };
  const deps: RunRouteDeps = {
    tracing: null,
    idempotency: { begin: () => assert.fail('no key was sent') },
    forgettings: { notice: () => assert.fail('no key was sent') },
    findKey: async (key) => ({ keyId: key, noStore: false }),
    isUnmetered: () => false,
    terms: { keylessPerDay: 25, freeKeys: true, sells: true },
    meter: { beginCharge: async () => assert.fail('charged'), remaining: async () => assert.fail('charged') },
    draining: { lastCall: new AbortController().signal },
    calls: {
      takeNow: () => null,
      take: async () => {
        done.push('turn');
        return () => done.push('turn over');
      },
      held: () => assert.fail('not used'),
    },
    work: { take: () => assert.fail('worked') },
    metricsToken: null,
    adminToken: null,
    events: { stagesTimed: () => assert.fail('answered') },
  };
  return { done, run: () => runRoute(route, arrival, deps) };
}

test('a caller that holds its share of memory is refused before it waits, and is not charged', async () => {
  const { done, run } = scripted((tenant) => {
    assert.equal(tenant, 'key k');
    throw full;
  });
  await assert.rejects(run(), full);
  assert.deepEqual(done, []);
});

test('a caller is checked again when its turn comes, including its unread responses', async () => {
  const { done, run } = scripted((_tenant, times) => {
    if (times === 2) throw full;
  });
  await assert.rejects(run(), full);
  assert.deepEqual(done, ['turn', 'turn over']);
});
