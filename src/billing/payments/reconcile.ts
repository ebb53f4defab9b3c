import { sql } from 'kysely';
import { type Background, runPeriodically } from '../../platform/background.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { DAY_MS } from '../ledger/day.ts';
import { wipeShownKeys } from './checkout-procedures.ts';
import type { FulfillingCheckouts } from './checkouts.ts';
import type { PaymentInbox } from './payment-inbox.ts';
import type { PaymentProvider } from './providers/payment-provider.ts';
import type { Purchases } from './purchases.ts';

/** Finishes what a crash, a lost reply or a lost message left open. */
export type Reconciler = {
  /** Purchases that nobody works on, and events that could not be acted upon. */
  takeUpOpen(): Promise<void>;
  /** Asks the provider for what never reached us: its events, and what became of unfinished checkouts. */
  askProvider(): Promise<void>;
  /** Does both from time to time, and wipes keys that were shown; the returned function ends it. */
  start(background: Background): () => void;
};

const TAKE_UP_EVERY_MS = 10_000;
const ASK_PROVIDER_EVERY_MS = 300_000;
/** A new key that nobody came for is wiped; its credits stay, and the operator can help. */
const UNSHOWN_KEY_MS = DAY_MS;
/** Deliveries are given up after three days. */
const LOOK_BACK_MS = 3 * DAY_MS;
const OVERLAP_MS = 600_000;
/** Checkouts are left to their buyers for a while, and are over after a day. */
const CHECKOUT_AGE_MIN_MS = 300_000;
const CHECKOUT_AGE_MAX_MS = 2 * DAY_MS;
const CHECKOUTS_AT_ONCE = 200;

export function createReconciler(parts: {
  ledgerStore: LedgerStore;
  provider: PaymentProvider;
  checkouts: FulfillingCheckouts;
  purchases: Purchases;
  inbox: PaymentInbox;
  clock: Clock;
  log: Log;
}): Reconciler {
  const { ledgerStore, provider, checkouts, purchases, inbox, clock, log } = parts;
  let eventsSince: number | null = null;
  const takeUpOpen = async (): Promise<void> => {
    for (const id of await purchases.due()) await purchases.execute(id);
    for (const id of await inbox.open()) await inbox.handle(id);
  };
  const fetchEvents = async (): Promise<void> => {
    const now = clock.now();
    for (const event of await provider.listEvents(eventsSince ?? now - LOOK_BACK_MS)) await inbox.take(event);
    eventsSince = now - OVERLAP_MS;
  };
  const unfinishedAfter = (id: string): Promise<{ id: string; provider_id: string | null }[]> =>
    ledgerStore.db
      .selectFrom('checkout')
      .select(['id', 'provider_id'])
      // Spelled out: SQLite does not find the partial index behind a parameter.
      .where(sql<boolean>`state in ('created', 'open', 'awaiting')`)
      .where('provider_id', 'is not', null)
      .where('created_at', '<', clock.now() - CHECKOUT_AGE_MIN_MS)
      .where('created_at', '>', clock.now() - CHECKOUT_AGE_MAX_MS)
      .where('id', '>', id)
      .orderBy('id')
      .limit(CHECKOUTS_AT_ONCE)
      .execute();
  const lookAtCheckouts = async (): Promise<void> => {
    let rows = await unfinishedAfter('');
    while (rows.length > 0) {
      for (const { provider_id } of rows)
        await checkouts
          .fulfil(provider_id ?? '')
          .catch((err: unknown) => log.warn({ err }, 'a checkout is looked at again'));
      rows = await unfinishedAfter(rows.at(-1)?.id ?? '');
    }
  };
  const askProvider = async (): Promise<void> => {
    await fetchEvents();
    await takeUpOpen();
    await lookAtCheckouts();
  };
  const wipe = (): Promise<void> => {
    const now = clock.now();
    return ledgerStore.run(wipeShownKeys, { now, createdBefore: now - UNSHOWN_KEY_MS });
  };
  return {
    takeUpOpen,
    askProvider,
    start(background) {
      const often = async (): Promise<void> => {
        await takeUpOpen();
        await wipe();
      };
      return runPeriodically(background, [
        { name: 'take up open payments', ms: TAKE_UP_EVERY_MS, work: often },
        { name: 'ask the payment provider', ms: ASK_PROVIDER_EVERY_MS, work: askProvider },
      ]);
    },
  };
}
