import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KEYLESS_REQUESTS_PER_DAY } from '../contract/limits.ts';
import { compileOnly } from '../platform/store/ledger/group-commit.ts';
import type { LedgerStore, Steps } from '../platform/store/ledger/procedure.ts';
import { grantCredits, issueKey } from './keys/key-procedures.ts';
import { addEntry } from './ledger/account-queries.ts';
import { createAllowance } from './ledger/allowance.ts';
import { holdCredits, refundHold, settleHold } from './ledger/charge-procedures.ts';
import { configureReload } from './payments/auto-reload.ts';
import { createCheckout } from './payments/checkout-procedures.ts';
import { settlePurchase } from './payments/purchases.ts';
import { applyReversals } from './payments/refund-dispute-procedures.ts';

const sqlite = compileOnly('sqlite');
const postgres = compileOnly('postgres');

/** Runs a procedure on made-up rows, one list for each of its queries. */
function runOn(rows: object[][], steps: Steps<unknown>): void {
  let step = steps.next();
  for (const reply of rows) {
    assert.equal(step.done, false, 'the procedure has a query for each list of rows');
    step = steps.next(reply);
  }
}

const hold = { id: 'h', keyId: 'k', amount: 2, expiresAt: 1 };
const account = { key_id: 'k', available: 5, held: 0, version: 1, debt: 0 };
const payer = { available: 5, disputed: 0, earlier: null, amount: 2 };
const settled = { ...account, reload_purchase: null, reload_pack: 'builder' };
const captured = { state: 'captured', amount: 2, used: 1 };
const grant = { keyId: 'k', credits: 5, ref: 'r', at: 1 };
const sale = {
  id: 's',
  key_id: 'k',
  cents: 5_000,
  credits: 60_000,
  clawed_back: 0,
  dispute: 'none',
  aftermath: 0,
};

const purchase = { id: 'p', key_id: 'k', cents: 5_000, credits: 60_000, month: '2026-11' };
const reversals = {
  charge: 'c',
  seen: 0,
  refundedCents: 5_000,
  lostCents: 0,
  dispute: 'none',
  at: 1,
} as const;

const checkout = { id: 'c', pack: 'builder', cents: 5_000, credits: 60_000, nonce_hash: 'n' } as const;

const settle = (used: number): Steps<unknown> => settleHold.steps(sqlite, { id: 'h', used, at: 1 });
const refund = (): Steps<unknown> => refundHold.steps(sqlite, { id: 'h', at: 1 });
const configure = (change: { threshold?: number; capCents?: number }): Steps<unknown> =>
  configureReload.steps(sqlite, { keyId: 'k', by: 'owner', change: { enabled: false, ...change } });
const opened = (broken: { cents?: number; credits?: number }): Steps<unknown> =>
  createCheckout.steps(sqlite, { ...checkout, ...broken, state: 'created', created_at: 1 });
const buy = (): Steps<unknown> =>
  settlePurchase.steps(sqlite, { id: 'p', outcome: { succeeded: true }, at: 1 });
const take = (broken: { refundedCents?: number } = {}): Steps<unknown> =>
  applyReversals.steps(sqlite, { ...reversals, ...broken });

const BROKEN: [promise: string, rows: object[][], steps: () => Steps<unknown>][] = [
  ['a hold takes at least one whole credit', [], () => holdCredits.steps(sqlite, { ...hold, amount: 0 })],
  ['a hold takes at least one whole credit', [], () => holdCredits.steps(sqlite, { ...hold, amount: 1.5 })],
  ['a settlement charges a whole number of credits', [], () => settle(0.5)],
  [
    'a movement leaves no negative balance',
    [[payer], [{}], [{ ...settled, held: -1 }], []],
    () => holdCredits.steps(sqlite, hold),
  ],
  ['a movement leaves no negative balance', [[{}], [{ ...settled, held: -1 }], []], () => settle(1)],
  [
    'a movement leaves no negative balance',
    [[{ movement: {}, balance: { ...settled, available: -1 } }]],
    () => settleHold.steps(postgres, { id: 'h', used: 1, at: 1 }),
  ],
  ['ledger entries are numbered from 1', [[{}], [{ ...settled, version: 0 }], []], () => settle(1)],
  ['a captured hold has charged credits', [[{ ...captured, used: 0 }]], refund],
  ['a refund returns no more than was held', [[{ ...captured, used: 3 }]], refund],
  [
    'a key is issued with a whole number of credits',
    [],
    () =>
      issueKey.steps(sqlite, {
        key: {
          id: 'k',
          hash: '',
          kind: 'paid',
          hint: '',
          label: null,
          network: null,
          account_id: null,
          manages: 1,
          old_hash: null,
          old_until: null,
          no_store: 0,
          per_minute: null,
          per_day: null,
          expires_at: null,
          created_at: 1,
        },
        credits: -1,
        ref: 'r',
      }),
  ],
  [
    'an account is credited with at least one whole credit',
    [[account], []],
    () => grantCredits.steps(sqlite, { ...grant, credits: 0 }),
  ],
  [
    'ledger entries are numbered from 1',
    [[account], [], [{ ...account, version: 0 }]],
    () => grantCredits.steps(sqlite, grant),
  ],
  [
    'a ledger entry leaves no negative balance',
    [[account], [], [{ ...account, held: -1 }]],
    () => grantCredits.steps(sqlite, grant),
  ],
  ['a checkout costs at least one whole cent', [], () => opened({ cents: 0 })],
  ['a checkout sells at least one whole credit', [], () => opened({ credits: 0.5 })],
  [
    'a purchase costs at least one whole cent',
    [[{ key_id: 'k' }], [account], [{ ...purchase, cents: 0 }]],
    buy,
  ],
  [
    "a month's spending is a whole number of cents",
    [[{ key_id: 'k' }], [{ ...account, reload_month: '2026-11', reload_spent_cents: -1 }], [purchase]],
    buy,
  ],
  ['a sale costs at least one whole cent', [[sale], [account], [{ ...sale, cents: 0 }]], take],
  ['a refund is a whole number of cents', [[sale], [account], [sale]], () => take({ refundedCents: 0.5 })],
  [
    'no more credits are taken back than were sold',
    [[sale], [account], [sale]],
    () => take({ refundedCents: 5_001 }),
  ],
  ['a key owes a whole number of credits', [[sale], [account], [sale], [], [{ ...account, debt: -1 }]], take],
  ['a threshold is at least one whole credit', [], () => configure({ threshold: 0 })],
  ['a cap is at least one whole cent', [], () => configure({ capCents: 99.5 })],
];

describe('a procedure that would break an invariant fails', () => {
  for (const [promise, rows, steps] of BROKEN)
    test(promise, () => assert.throws(() => runOn(rows, steps()), { message: promise }));
});

test('a ledger entry moves at least one whole credit', () => {
  const entry = { kind: 'grant', contra: 'grants', ref: 'r', delta: 0, at: 1 } as const;
  assert.throws(() => addEntry(sqlite.db, account, entry), {
    message: 'a ledger entry moves at least one whole credit',
  });
});

test('an address uses no more than its allowance', async () => {
  const run = async (): Promise<never> => (KEYLESS_REQUESTS_PER_DAY + 1) as never;
  const allowance = createAllowance({
    ledgerStore: { ...sqlite, run } as unknown as LedgerStore,
    clock: { now: () => 0 },
  });
  await assert.rejects(allowance.count('203.0.113.9'), {
    message: 'an address uses no more than its allowance',
  });
});
