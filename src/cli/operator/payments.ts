import { createBilling } from '../../app/compose-billing.ts';
import { choosePaymentProvider, createPayments, type Payments } from '../../app/compose-payments.ts';
import type { Config } from '../../app/config.ts';
import { type PaymentOverview, readPaymentOverview } from '../../billing/payments/payment-overview.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLog } from '../../platform/log.ts';

/** `sanderling payments list`: resolves to exit code 1 if something needs attention. */
export function listPayments(config: Config, { json }: { json?: boolean }): Promise<number> {
  return withPayments(config, async ({ overview }) => {
    const found = await overview();
    if (json) print(JSON.stringify(found, null, 2));
    else for (const line of formatOverview(found)) print(line);
    return countTroubles(found) === 0 ? 0 : 1;
  });
}

/** `sanderling payments ask`: resolves to 0 if every event was handled. */
export function askProvider(config: Config): Promise<number> {
  return withPayments(config, async ({ reconciler, overview }) => {
    if (config.payments === 'off') {
      process.stderr.write('Nothing is sold here (PAYMENTS).\n');
      return 1;
    }
    await reconciler.askProvider();
    const { openEvents } = await overview();
    print(openEvents.length === 0 ? 'Every event was handled.' : `${openEvents.length} events still wait.`);
    return openEvents.length === 0 ? 0 : 1;
  });
}

type Parts = Pick<Payments, 'reconciler'> & { overview(): Promise<PaymentOverview> };

async function withPayments(config: Config, work: (parts: Parts) => Promise<number>): Promise<number> {
  const clock = systemClock;
  const log = createLog(config.logLevel);
  const billing = await createBilling(config, { log, clock });
  const { ledgerStore } = billing;
  try {
    const resolveSiteUrl = (): string =>
      config.siteUrl ?? config.baseUrl ?? `http://${config.host}:${config.port}`;
    const { provider } = await choosePaymentProvider(config, { ledgerStore, clock, siteUrl: resolveSiteUrl });
    const { reconciler } = createPayments(config, billing, { provider, clock, log, siteUrl: resolveSiteUrl });
    return await work({ reconciler, overview: () => readPaymentOverview({ ledgerStore, clock }) });
  } finally {
    await billing.close();
  }
}

function countTroubles({ openEvents, unmatched, stray, reloads, disputes }: PaymentOverview): number {
  return [openEvents, unmatched, stray, reloads, disputes].reduce((sum, { length }) => sum + length, 0);
}

function formatOverview(overview: PaymentOverview): string[] {
  const { sold, openEvents, unmatched, stray, reloads, disputes } = overview;
  const formatUsd = (cents: number): string => `${(cents / 100).toFixed(2)} USD`;
  const lines = [
    ...sold.map(
      ({ pack, how, count, cents }) =>
        `sold       ${count} × ${pack} by ${how}, ${formatUsd(cents)}, in 30 days`,
    ),
    ...unmatched.map(
      ({ id, pack, state, cents }) =>
        `unmatched  ${id} (${pack}, ${formatUsd(cents)}): ${state}, although the provider reported a change`,
    ),
    ...stray.map(({ charge, event }) => `stray      charge ${charge} (${event}) belongs to no sale here`),
    ...disputes.map(
      ({ id, keyId, cents }) => `disputed   ${id} of ${keyId ?? 'no key'}, ${formatUsd(cents)}`,
    ),
    ...reloads.map(
      ({ keyId, state, error }) => `reload     of ${keyId}: ${state}${error === null ? '' : ` (${error})`}`,
    ),
    ...openEvents.map(({ id, type, tries }) => `waiting    event ${id} (${type}), tried ${tries} times`),
  ];
  return countTroubles(overview) === 0 ? [...lines, 'Nothing needs a look.'] : lines;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
