import { setTimeout } from 'node:timers/promises';
import { cachedFor } from '../../platform/cached-for.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { readTotals, type Totals } from './totals.ts';

/** However many look, the books are read once in this time. */
const FRESH_MS = 10_000;
/** A reading that takes longer is given up: whoever looks waits no longer for the other metrics. */
const READ_MS = 700;

/** Adds what all keys come to, read when somebody looks. When the books cannot be read, `books_readable` is 0 and the rest is absent. */
export function watchLedger(
  metrics: Metrics,
  { db }: Pick<LedgerStore, 'db'>,
  { clock = systemClock, readMs = READ_MS }: { clock?: Clock; readMs?: number } = {},
): void {
  const latest = cachedFor(FRESH_MS, clock, () => inTime(readMs, (signal) => readTotals(db, signal)));
  const amount = (name: string, help: string, of: (totals: Totals) => number): void =>
    metrics.gauge(name, help, {
      async read(gauge) {
        const totals = await latest();
        gauge.set(totals === null ? Number.NaN : of(totals));
      },
    });
  amount('credits_available', 'Credits that can still be spent', ({ available }) => available);
  amount('credits_on_hold', 'Credits that calls under way hold', ({ held }) => held);
  amount('holds_open', 'Calls that hold credits', ({ openHolds }) => openHolds);
  metrics.gauge('keys', 'Keys by kind and state', {
    labels: ['kind', 'state'],
    async read(gauge) {
      gauge.reset();
      for (const { kind, state, count } of (await latest())?.keys ?? []) gauge.set({ kind, state }, count);
    },
  });
  metrics.gauge('books_readable', 'Whether the books could be read in time', {
    async read(gauge) {
      gauge.set((await latest()) === null ? 0 : 1);
    },
  });
}

/** The totals, or null when they could not be had: the metrics tell that, and the calls that fail say why. */
async function inTime(ms: number, read: (signal: AbortSignal) => Promise<Totals>): Promise<Totals | null> {
  const ended = new AbortController();
  try {
    return await Promise.race([read(ended.signal), setTimeout(ms, null, { signal: ended.signal })]);
  } catch {
    return null;
  } finally {
    ended.abort();
  }
}
