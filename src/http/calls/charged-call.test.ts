import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Meter } from '../../billing/ledger/meter.ts';
import type { PricedRoute } from './call.ts';
import { chargeCall } from './charged-call.ts';

const CALL = { caller: { kind: 'key', keyId: 'k' } };

for (const [what, hasBegun, undone] of [
  ['never began to be sent is refunded', false, 1],
  ['has begun to be sent stands', true, 0],
] as const)
  test(`the charge for a response that ${what} when its caller hangs up`, async () => {
    let refunds = 0;
    const charge: Awaited<ReturnType<Meter['beginCharge']>> = {
      refuseIfKnown() {},
      hold: async ({ credits }) => credits,
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
    await chargeCall(route as unknown as PricedRoute, CALL as Parameters<typeof chargeCall>[1], {
      meter: { beginCharge: async () => charge, remaining: async () => 9 },
      setRemaining() {},
      hungUp: caller.signal,
      hasBegun: () => hasBegun,
      workTurn: async () => () => {},
      withinTime: (work) => work(caller.signal),
    });
    assert.equal(refunds, 0);
    caller.abort();
    assert.equal(refunds, undone);
  });

test('a call holds the most that it can cost in its turn, and settles what it used', async () => {
  const steps: string[] = [];
  const charge: Awaited<ReturnType<Meter['beginCharge']>> = {
    refuseIfKnown: (credits) => void steps.push(`refuse ${credits}`),
    async hold({ credits }) {
      steps.push(`hold ${credits}`);
      return credits;
    },
    spendable: async () => 9,
    settle: async (credits) => void steps.push(`settle ${credits}`),
    refund: async () => void steps.push('refund'),
    remaining: async () => 8,
    stated: (used) => used,
  };
  const route = {
    paths: ['/v1/search'],
    limit: { ms: 1_000 },
    prepare: () => ({
      most: 3,
      work: async () => ({ body: { kept: true }, used: 2, cost: (credits: number) => ({ credits }) }),
    }),
  };
  // Only the fields of a route and a call that charging reads.
  const answer = await chargeCall(route as unknown as PricedRoute, CALL as Parameters<typeof chargeCall>[1], {
    meter: { beginCharge: async () => charge, remaining: async () => 9 },
    setRemaining: (credits) => void steps.push(`remaining ${credits}`),
    hungUp: new AbortController().signal,
    hasBegun: () => true,
    workTurn: async () => {
      steps.push('turn');
      return () => steps.push('turn over');
    },
    withinTime: (work) => work(new AbortController().signal),
  });
  assert.deepEqual(answer.body, { kept: true, credits: 2 });
  assert.deepEqual(steps, ['refuse 1', 'turn', 'hold 3', 'settle 2', 'turn over', 'remaining 8']);
});
