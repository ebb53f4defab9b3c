import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, PricedRoute, Worked } from '../../calls/call.ts';
import { HungUp } from '../../calls/deadline.ts';
import type { Arrival } from '../../calls/run-route.ts';
import { type AtOnce, answerQuickly, type QuickDeps } from './quick-answer.ts';

type Scripted = {
  worked?: Worked | null | Promise<Worked | null>;
  found?: ReturnType<AtOnce['findKey']>;
  refused?: boolean;
  changes?: Partial<QuickDeps>;
  answerFails?: boolean;
};

const WORKED: Worked = { used: 1, cost: (credits) => ({ credits }), body: { kept: true } };

/** A call whose charge ends when the test says so; `steps`: what was done, in order. */
function call({ worked = WORKED, found, refused = false, changes = {}, answerFails = false }: Scripted = {}) {
  const steps: string[] = [];
  const listeners: (() => void)[] = [];
  const caller = { isGone: false, hasBegun: true };
  let done: (problem: unknown) => void = () => assert.fail('nothing is charged');
  const charge = {
    left: null as number | null,
    refuseIfKnown() {
      if (!refused) return;
      charge.left = 0;
      throw new Failure('insufficient_credits', 'none left');
    },
    charge(credits: number, ended: (problem: unknown) => void) {
      steps.push(`charge ${credits}`);
      done = (problem) => {
        if (problem === null) charge.left = 7;
        ended(problem);
      };
    },
    async refund() {
      steps.push('refund');
    },
  };
  const deps: QuickDeps = {
    calls: {
      takeNow: () => () => void steps.push('release'),
      take: async () => assert.fail('waits'),
      held: () => 0,
    },
    isUnmetered: () => false,
    terms: { keylessPerDay: 0, freeKeys: false, sells: false },
    tracing: null,
    events: { stagesTimed() {} },
    atOnce: {
      findKey: () => (found === undefined ? { keyId: 'key', noStore: false } : found),
      beginCharge: () => charge as never,
    },
    ...changes,
  };
  const arrival: Arrival = {
    ...{ requestId: 'req_1', target: '/v1/search', params: {}, query: new URLSearchParams() },
    ...{ headers: { 'x-api-key': 'k' }, address: '203.0.113.9', bytes: new TextEncoder().encode('{}') },
    hungUp: {
      get aborted() {
        return caller.isGone;
      },
      addEventListener: (_, listener) => void listeners.push(listener),
      removeEventListener() {},
    },
    hasBegun: () => caller.hasBegun,
    assignLoad() {},
    setRemaining: (credits) => void steps.push(`remaining ${credits}`),
  };
  const route: PricedRoute = {
    ...{ method: 'POST', paths: ['/v1/search'], callers: 'payer' },
    limit: { ms: 1_000, late: () => new Failure('overloaded', 'late') },
    prepare: () => ({ most: 1, atHand: () => worked, work: async () => assert.fail('works') }),
  };
  const outcome = {
    answer({ body }: Answer) {
      steps.push(`answer ${JSON.stringify(body)}`);
      if (answerFails) throw new Error('no header');
    },
    fail: (problem: unknown) => void steps.push(`fail ${(problem as Error).message || 'hung up'}`),
    otherwise: () => void steps.push('otherwise'),
  };
  answerQuickly(route, arrival, { deps, outcome });
  const hangUp = (): void => {
    caller.isGone = true;
    for (const listener of listeners) listener();
  };
  return { steps, caller, hangUp, done: (problem: unknown) => done(problem) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an answer from memory', () => {
  test('leaves once its charge is made, and says what is left and what it cost', () => {
    const { steps, done } = call();
    assert.deepEqual(steps, ['charge 1']);
    done(null);
    assert.deepEqual(steps, ['charge 1', 'remaining 7', 'answer {"kept":true,"credits":1}', 'release']);
  });

  test('that has to be waited for is the same', async () => {
    const { steps, done } = call({ worked: Promise.resolve(WORKED) });
    assert.deepEqual(steps, []);
    await settled();
    done(null);
    assert.equal(steps.at(-2), 'answer {"kept":true,"credits":1}');
  });

  test('does not leave if its charge fails, which is then undone', async () => {
    const { steps, done } = call();
    done(new Failure('overloaded', 'the ledger is away'));
    await settled();
    assert.deepEqual(steps, ['charge 1', 'refund', 'release', 'remaining null', 'fail the ledger is away']);
  });

  test('is not charged if its caller has hung up meanwhile', async () => {
    const { steps, done, hangUp } = call();
    hangUp();
    done(null);
    await settled();
    assert.deepEqual(steps.slice(0, 2), ['charge 1', 'refund']);
    assert.ok(!steps.some((step) => step.startsWith('answer')));
    assert.equal(new HungUp().name, 'HungUp');
  });

  test('is not charged if its caller hangs up while it is compressed, and is once it has begun to leave', () => {
    for (const [hasBegun, refunds] of [
      [false, 1],
      [true, 0],
    ] as const) {
      const { steps, caller, done, hangUp } = call();
      caller.hasBegun = false;
      done(null);
      caller.hasBegun = hasBegun;
      hangUp();
      assert.equal(steps.filter((step) => step === 'refund').length, refunds);
    }
  });

  test('that cannot be written is refunded', async () => {
    const { steps, done } = call({ answerFails: true });
    done(null);
    await settled();
    assert.deepEqual(steps.slice(-4), ['refund', 'release', 'remaining 7', 'fail no header']);
  });

  test('is refused by what is known of the key, without a question to the ledger', () => {
    assert.deepEqual(call({ refused: true }).steps, ['release', 'remaining 0', 'fail none left']);
  });

  const others: [string, Scripted][] = [
    ['nothing is in memory', { worked: null }],
    ['it costs nothing', { worked: { ...WORKED, used: 0 } }],
    ['the key has to be looked up', { found: null }],
    ['nobody is charged', { changes: { atOnce: null } }],
    ['the network is not metered', { changes: { isUnmetered: () => true } }],
    [
      'the caller has to wait for a turn',
      {
        changes: {
          calls: { takeNow: () => null, take: async () => assert.fail('waits'), held: () => 0 },
        },
      },
    ],
  ];
  for (const [what, scripted] of others)
    test(`is left to the usual way, uncharged, where ${what}`, () => {
      const { steps } = call(scripted);
      assert.deepEqual(
        steps.filter((step) => step !== 'release'),
        ['otherwise'],
      );
    });
});
