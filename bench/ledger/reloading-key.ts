import type { Billing } from '../../src/app/compose-billing.ts';
import { createPayments } from '../../src/app/compose-payments.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { memoryPayments } from '../../test/fixtures/memory-payments.ts';

/** A threshold a little below the initial credits, so that the key buys at once and then after every 15,000 deductions; and a cap that no run reaches. */
const THRESHOLD = 59_900;
const CAP_CENTS = 1_000_000_000;

/** A purchased key with a saved card and auto-reload on: it buys the next pack whenever it runs low. */
export async function createReloadingKey(billing: Billing, dataDir: string): Promise<string> {
  const provider = memoryPayments();
  const { checkouts } = createPayments({ dataDir, appSecret: null }, billing, {
    provider,
    clock: systemClock,
    log: createLog('silent'),
    siteUrl: () => 'http://site.example.org',
  });
  const autoReload = { threshold: THRESHOLD, pack: 'instant', capCents: CAP_CENTS } as const;
  const { url } = await checkouts.open({ pack: 'builder', topUp: null, autoReload });
  const checkoutId = url.split('/').at(-1) ?? '';
  provider.pay(checkoutId);
  await checkouts.fulfil(checkoutId);
  const { key_id } = await billing.ledgerStore.db
    .selectFrom('checkout')
    .select('key_id')
    .where('provider_id', '=', checkoutId)
    .executeTakeFirstOrThrow();
  if (key_id === null) throw new Error('the purchase has made no key');
  return key_id;
}
