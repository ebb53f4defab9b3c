import { type Cards, createCards } from '../billing/payments/auto-reload.ts';
import { createCheckouts, type FulfillingCheckouts } from '../billing/payments/checkouts.ts';
import { createPaymentInbox, type PaymentInbox } from '../billing/payments/payment-inbox.ts';
import { BadSignature, type PaymentProvider } from '../billing/payments/providers/payment-provider.ts';
import { createSandbox } from '../billing/payments/providers/sandbox.ts';
import type { SandboxPage } from '../billing/payments/providers/sandbox-objects.ts';
import { createPurchases, type Purchases } from '../billing/payments/purchases.ts';
import { createReconciler, type Reconciler } from '../billing/payments/reconcile.ts';
import { type AccountRecovery, createAccountRecovery } from '../billing/payments/recovery.ts';
import { createSales, type Sales } from '../billing/payments/sales.ts';
import { Failure } from '../contract/errors.ts';
import { ensureAppSecret, WeakSecret } from '../platform/app-secret.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { createNamedAgent } from '../platform/net/upstream-fetch.ts';
import { createSealing, type Sealing } from '../platform/sealing.ts';
import type { LedgerStore } from '../platform/store/ledger/procedure.ts';
import type { Billing } from './compose-billing.ts';
import { type Config, ConfigError } from './config.ts';

/** Everything that takes payments; it works on the ledger store of a `Billing`. */
export type Payments = {
  provider: PaymentProvider;
  checkouts: FulfillingCheckouts;
  purchases: Purchases;
  inbox: PaymentInbox;
  reconciler: Reconciler;
  sealing: Sealing;
  cards: Cards;
  sales: Sales;
  recover: AccountRecovery;
};

/** The payment provider, and the payment page if it is the built-in sandbox. */
export type ChosenProvider = { provider: PaymentProvider; sandboxPage: SandboxPage | null };

export const STRIPE_URL = 'https://api.stripe.com';
const STRIPE_CONNECT_MS = 5_000;

/** Chooses the payment provider of the settings; where nothing is sold, one that refuses everything. */
export async function choosePaymentProvider(
  { stripe, payments, egress }: Pick<Config, 'stripe' | 'payments' | 'egress'>,
  deps: { ledgerStore: LedgerStore; clock: Clock; siteUrl(): string },
): Promise<ChosenProvider> {
  if (payments === 'off') return { provider: CLOSED, sandboxPage: null };
  if (payments === 'sandbox' || stripe === null) {
    const { provider, page } = createSandbox(deps);
    return { provider, sandboxPage: page };
  }
  // Imported on demand: the library takes a while to load.
  const [{ createStripe }, agent] = await Promise.all([
    import('../billing/payments/providers/stripe.ts'),
    createNamedAgent({ url: stripe.apiBase ?? STRIPE_URL, egress, connectMs: STRIPE_CONNECT_MS }),
  ]);
  return { provider: createStripe({ ...stripe, clock: deps.clock, agent }), sandboxPage: null };
}

const refuse = async (): Promise<never> => {
  throw new Failure('payment_unavailable', 'This service sells no credits.');
};

/** The provider where nothing is sold. Its routes are closed; a purchase that is still open waits for a real provider. */
const CLOSED: PaymentProvider = {
  name: 'none',
  openCheckout: refuse,
  getCheckout: refuse,
  prepareCharge: refuse,
  confirmCharge: refuse,
  getCharge: refuse,
  cancelCharge: refuse,
  findCharge: refuse,
  removeCard: refuse,
  receiptOf: refuse,
  readEvent() {
    throw new BadSignature('nothing is sold here');
  },
  listEvents: refuse,
};

/** Composes payments. Throws ConfigError when the secret in the data folder cannot be used. */
export function createPayments(
  config: Pick<Config, 'dataDir' | 'appSecret'> & Partial<Pick<Config, 'payments'>>,
  { ledgerStore, autoReloads, events, background, onPurchase }: Billing,
  outside: {
    provider: PaymentProvider;
    clock: Clock;
    log: Log;
    /** Base URL of the web pages, without a slash at the end; read on demand because the server may not listen yet. */
    siteUrl(): string;
  },
): Payments {
  const { provider, clock, log, siteUrl } = outside;
  const sealing = createSealing(resolveAppSecret(config));
  const checkouts = createCheckouts({ ledgerStore, provider, autoReloads, sealing, clock, events, siteUrl });
  const purchases = createPurchases({ ledgerStore, provider, clock, events, log });
  const inbox = createPaymentInbox({ ledgerStore, provider, checkouts, purchases, clock, log });
  const reconciler = createReconciler({ ledgerStore, provider, checkouts, purchases, inbox, clock, log });
  if (config.payments !== 'off')
    onPurchase((purchaseId) => background.run('auto-reload', () => purchases.execute(purchaseId)));
  const cards = createCards({ ledgerStore, provider, autoReloads });
  const sales = createSales({ ledgerStore, provider });
  const recover = createAccountRecovery({ ledgerStore, provider, clock });
  return { provider, checkouts, purchases, inbox, reconciler, sealing, cards, sales, recover };
}

/** Resolves the secret that seals and signs. Throws ConfigError. */
export function resolveAppSecret(config: Pick<Config, 'dataDir' | 'appSecret'>): string {
  try {
    return ensureAppSecret(config);
  } catch (error) {
    if (error instanceof WeakSecret) throw new ConfigError(`DATA_DIR: ${error.message}`);
    throw error;
  }
}
