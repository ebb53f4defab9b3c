import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Events } from '../../contract/events.ts';
import { createLog } from '../../platform/log.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import type { PaymentProvider } from './providers/payment-provider.ts';
import { createPurchases } from './purchases.ts';

const PURCHASE = { id: 'pur_1', cents: 5_000, customer: 'cus', card: 'card', attempt: 1, created_at: 0 };
const PREPARED = { id: 'ch', reference: 'pur_1', state: 'prepared', cents: 5_001 };

for (const [what, charge_id] of [
  ['new', null],
  ['known', 'ch'],
] as const) {
  test(`a ${what} charge of another price is not confirmed`, async () => {
    let confirmed = false;
    const calls: [name: string, args: { error?: string }][] = [];
    const ledgerStore = {
      async run({ name }: { name: string }, args: object) {
        calls.push([name, args]);
        return { ...PURCHASE, charge_id };
      },
    };
    const provider = {
      prepareCharge: async () => PREPARED,
      getCharge: async () => PREPARED,
      async confirmCharge() {
        confirmed = true;
        return PREPARED;
      },
    };
    // Casts: only these members are used before the charge would be confirmed.
    const purchases = createPurchases({
      ledgerStore: ledgerStore as unknown as LedgerStore,
      provider: provider as unknown as PaymentProvider,
      clock: { now: () => 0 },
      events: {} as Events,
      log: createLog('silent'),
    });
    await purchases.execute('pur_1');
    assert.equal(confirmed, false);
    assert.equal(calls.at(-1)?.[0], 'releasePurchase');
    assert.equal(calls.at(-1)?.[1].error, 'AssertionError');
  });
}
