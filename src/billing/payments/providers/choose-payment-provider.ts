import type { Config } from '../../../app/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { LedgerStore } from '../../../platform/store/ledger/ledger-store.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createSandbox } from './sandbox.ts';
import type { SandboxPage } from './sandbox-types.ts';

/** The provider of payments, and the page of the built-in one where that is it. */
export type ChosenProvider = { provider: PaymentProvider; sandboxPage: SandboxPage | null };

/** Stripe where it is set up, else the built-in sandbox. */
export async function choosePaymentProvider(
  { stripe }: Pick<Config, 'stripe'>,
  parts: { ledgerStore: LedgerStore; clock: Clock; siteUrl(): string },
): Promise<ChosenProvider> {
  if (stripe === null) {
    const { provider, page } = createSandbox(parts);
    return { provider, sandboxPage: page };
  }
  // Loaded where it is needed: the library takes a while.
  const { createStripe } = await import('./stripe.ts');
  return { provider: createStripe({ ...stripe, clock: parts.clock }), sandboxPage: null };
}
