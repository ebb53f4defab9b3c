import { sql } from 'kysely';
import { type Background, runPeriodically } from '../../platform/background.ts';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { wipeShownKeys } from './checkout-procedures.ts';
import type { FulfillingCheckouts } from './checkouts.ts';
import type { PaymentInbox } from './payment-inbox.ts';
import type { PaymentProvider } from './providers/payment-provider.ts';
import type { Purchases } from './purchases.ts';
import { collectDebt, listOwingAccounts } from './refund-dispute-procedures.ts';

/** Finishes payments that a crash, a lost reply or a lost message left open. */
export type Reconciler = {
  /** Resumes open purchases without a current lease and unhandled events, and collects the debt of accounts. */
  resumeOpen(): Promise<void>;
  /** Asks the provider for events that were not delivered, and for the state of unfinished checkouts. */
  askProvider(): Promise<void>;
  /** Does both periodically, and wipes keys that were shown. The returned function stops it. */
  start(background: Background): () => void;
};

type ReconcilerDeps = {
  ledgerStore: LedgerStore;
  provider: PaymentProvider;
  checkouts: FulfillingCheckouts;
  purchases: Purchases;
  inbox: PaymentInbox;
  clock: Clock;
  log: Log;
};

const RESUME_EVERY_MS = 10_000;
const ASK_PROVIDER_EVERY_MS = 300_000;
/** Time after which an uncollected new key is wiped; its credits stay, and the operator can help. */
const UNSHOWN_KEY_MS = DAY_MS;
/** Providers stop retrying a delivery after three days. */
const LOOK_BACK_MS = 3 * DAY_MS;
const OVERLAP_MS = 600_000;
/** Age of the checkouts to check: younger ones are fulfilled when their buyers return, older ones have expired. */
const CHECKOUT_AGE_MIN_MS = 300_000;
const CHECKOUT_AGE_MAX_MS = 2 * DAY_MS;
const CHECKOUTS_AT_ONCE = 200;

export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { provider, inbox, clock } = deps;
  let eventsSince: number | null = null;
  const fetchEvents = async (): Promise<void> => {
    const now = clock.now();
    for (const event of await provider.listEvents(eventsSince ?? now - LOOK_BACK_MS)) await inbox.take(event);
    eventsSince = now - OVERLAP_MS;
  };
  const askProvider = async (): Promise<void> => {
    await fetchEvents();
    await resumeOpen(deps);
    await fulfilUnfinished(deps);
  };
  return {
    resumeOpen: () => resumeOpen(deps),
    askProvider,
    start(background) {
      const resumeAndWipe = async (): Promise<void> => {
        await resumeOpen(deps);
        await wipeKeys(deps);
      };
      return runPeriodically(background, [
        { name: 'resume open payments', ms: RESUME_EVERY_MS, work: resumeAndWipe },
        { name: 'ask the payment provider', ms: ASK_PROVIDER_EVERY_MS, work: askProvider },
      ]);
    },
  };
}

async function resumeOpen({ purchases, inbox, ledgerStore, clock }: ReconcilerDeps): Promise<void> {
  for (const id of await purchases.due()) await purchases.execute(id);
  for (const id of await inbox.open()) await inbox.handle(id);
  for (const keyId of await listOwingAccounts(ledgerStore))
    await ledgerStore.run(collectDebt, { keyId, at: clock.now() });
}

async function fulfilUnfinished(deps: ReconcilerDeps): Promise<void> {
  const { checkouts, log } = deps;
  let rows = await listUnfinishedAfter(deps, '');
  while (rows.length > 0) {
    for (const { provider_id } of rows)
      await checkouts
        .fulfil(provider_id ?? '')
        .catch((err: unknown) => log.warn({ err }, 'a checkout could not be checked and will be retried'));
    rows = await listUnfinishedAfter(deps, rows.at(-1)?.id ?? '');
  }
}

function listUnfinishedAfter(
  { ledgerStore, clock }: ReconcilerDeps,
  id: string,
): Promise<{ id: string; provider_id: string | null }[]> {
  return (
    ledgerStore.db
      .selectFrom('checkout')
      .select(['id', 'provider_id'])
      // Literals: SQLite does not use a partial index for a parameter.
      .where(sql<boolean>`state in ('created', 'open', 'awaiting')`)
      .where('provider_id', 'is not', null)
      .where('created_at', '<', clock.now() - CHECKOUT_AGE_MIN_MS)
      .where('created_at', '>', clock.now() - CHECKOUT_AGE_MAX_MS)
      .where('id', '>', id)
      .orderBy('id')
      .limit(CHECKOUTS_AT_ONCE)
      .execute()
  );
}

function wipeKeys({ ledgerStore, clock }: ReconcilerDeps): Promise<void> {
  const now = clock.now();
  return ledgerStore.run(wipeShownKeys, { now, createdBefore: now - UNSHOWN_KEY_MS });
}
