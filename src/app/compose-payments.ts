import { createSealing, type Sealing } from '../billing/keys/sealing.ts';
import { createCheckouts, type FulfillingCheckouts } from '../billing/payments/checkouts.ts';
import { createPaymentInbox, type PaymentInbox } from '../billing/payments/payment-inbox.ts';
import type { PaymentProvider } from '../billing/payments/providers/payment-provider.ts';
import { createPurchases, type Purchases } from '../billing/payments/purchases.ts';
import { createReconciler, type Reconciler } from '../billing/payments/reconcile.ts';
import { appSecret, WeakSecret } from '../platform/app-secret.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Billing } from './compose-billing.ts';
import { type Config, ConfigError } from './config.ts';

/** Every part that has to do with money that comes in, over the books of a `Billing`. */
export type Payments = {
  provider: PaymentProvider;
  checkouts: FulfillingCheckouts;
  purchases: Purchases;
  inbox: PaymentInbox;
  reconciler: Reconciler;
  sealing: Sealing;
};

function secretOf(config: Pick<Config, 'dataDir' | 'appSecret'>): string {
  try {
    return appSecret(config);
  } catch (error) {
    if (error instanceof WeakSecret) throw new ConfigError(`DATA_DIR: ${error.message}`);
    throw error;
  }
}

/** The composition root of the payments. Throws ConfigError when the secret of the data folder cannot be used. */
export function createPayments(
  config: Pick<Config, 'dataDir' | 'appSecret'>,
  { ledgerStore, autoReloads, events, background, onPurchase }: Billing,
  outside: {
    provider: PaymentProvider;
    clock: Clock;
    log: Log;
    /** Address of the pages; asked for when it is needed, because it may be that of a server that does not listen yet. */
    siteUrl(): string;
  },
): Payments {
  const { provider, clock, log, siteUrl } = outside;
  const sealing = createSealing(secretOf(config));
  const checkouts = createCheckouts({ ledgerStore, provider, autoReloads, sealing, clock, events, siteUrl });
  const purchases = createPurchases({ ledgerStore, provider, clock, events, log });
  const inbox = createPaymentInbox({ ledgerStore, provider, checkouts, purchases, clock, log });
  const reconciler = createReconciler({ ledgerStore, provider, checkouts, purchases, inbox, clock, log });
  onPurchase((id) => background.run('auto-reload', () => purchases.execute(id)));
  return { provider, checkouts, purchases, inbox, reconciler, sealing };
}
