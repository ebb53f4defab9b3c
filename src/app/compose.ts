import type { SandboxPage } from '../billing/payments/providers/sandbox-types.ts';
import { type Billing, createBilling } from './compose-billing.ts';
import {
  type ChosenProvider,
  choosePaymentProvider,
  createPayments,
  type Payments,
} from './compose-payments.ts';
import { createServices, type Outside, type Services } from './compose-services.ts';
import type { Config } from './config.ts';

/** Everything that the server stands on. */
export type Composition = Omit<Services, 'close'> &
  Omit<Billing, 'close' | 'startHousekeeping'> &
  Payments & {
    /** Null where payments are real. */
    sandboxPage: SandboxPage | null;
    /** Address of the pages, without a slash at the end; known once the server listens. */
    siteUrl(): string;
    /** Tells where the server listens, and starts what is done from time to time. */
    start(address: string): void;
    /** Ends what was started, in reverse order. */
    close(): Promise<void>;
  };

/** Retrieval, credits and payments, made once and in order; what was made is ended again when a later part cannot be made. */
export async function compose(
  config: Config,
  outside: Outside & { provider?: ChosenProvider } = {},
): Promise<Composition> {
  const services = await createServices(config, outside);
  const billing = await createBilling(config, services).catch(async (error: unknown) => {
    await services.close();
    throw error;
  });
  const { clock, log } = services;
  let address = '';
  const siteUrl = (): string => config.siteUrl ?? config.baseUrl ?? address;
  const choose = async (): Promise<ChosenProvider & { payments: Payments }> => {
    const chosen =
      outside.provider ??
      (await choosePaymentProvider(config, { ledgerStore: billing.ledgerStore, clock, siteUrl }));
    const { provider } = chosen;
    return { ...chosen, payments: createPayments(config, billing, { provider, clock, log, siteUrl }) };
  };
  const { payments, sandboxPage } = await choose().catch(async (error: unknown) => {
    await billing.close();
    await services.close();
    throw error;
  });
  let endReconciler = (): void => {};
  return {
    ...services,
    ...billing,
    ...payments,
    sandboxPage,
    siteUrl,
    start(listeningAddress) {
      address = listeningAddress;
      billing.startHousekeeping();
      endReconciler = payments.reconciler.start(billing.background);
    },
    async close() {
      endReconciler();
      await billing.close();
      await services.close();
    },
  };
}
