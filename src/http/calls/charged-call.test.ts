import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Meter } from '../../billing/ledger/meter.ts';
import type { PricedRoute } from './call.ts';
import { charged } from './charged-call.ts';

for (const [what, hasBegun, undone] of [
  ['never began to be sent is refunded', false, 1],
  ['has begun to be sent stands', true, 0],
] as const)
  test(`the charge for a response that ${what} when its caller hangs up`, async () => {
    let refunds = 0;
    const charge: Awaited<ReturnType<Meter['beginCharge']>> = {
      hold: async () => {},
      holdUpTo: async (credits) => credits,
      spendable: async () => 9,
      settle: async () => {},
      refund: async () => {
        refunds += 1;
      },
      remaining: async () => 9,
      stated: (used) => used,
    };
    const route = {
      paths: ['/v1/search'],
      limit: { ms: 1_000 },
      prepare: () => ({ most: 1, work: async () => ({ body: 'answer', used: 1 }) }),
    };
    const caller = new AbortController();
    // Only the fields of a route and a call that charging reads.
    await charged(route as unknown as PricedRoute, {} as Parameters<typeof charged>[1], {
      meter: { beginCharge: async () => charge, remaining: async () => 9 },
      setRemaining() {},
      hungUp: caller.signal,
      hasBegun: () => hasBegun,
      withinTime: (work) => work(caller.signal),
    });
    assert.equal(refunds, 0);
    caller.abort();
    assert.equal(refunds, undone);
  });
