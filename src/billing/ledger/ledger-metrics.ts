import { setTimeout } from 'node:timers/promises';
import { cacheFor } from '../../platform/cached-for.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { readTotals, type Totals } from './totals.ts';

/** The ledger store is read at most once in this time, however often metrics are scraped. */
const FRESH_MS = 10_000;
/** A slower read is abandoned, so that it does not delay the other metrics. */
const READ_MS = 700;

/** Adds gauges of the totals over all keys, read on scrape. If the ledger store cannot be read, `books_readable` is 0 and the others are absent. */
export function watchLedger(
  metrics: Metrics,
  { db }: Pick<LedgerStore, 'db'>,
  { clock = systemClock, readMs = READ_MS }: { clock?: Clock; readMs?: number } = {},
): void {
  const latest = cacheFor(FRESH_MS, clock, () => readInTime(readMs, (signal) => readTotals(db, signal)));
  const registerAmount = (name: string, help: string, of: (totals: Totals) => number): void =>
    metrics.gauge(name, help, {
      overWorkers: 'first',
      async read(gauge) {
        const totals = await latest();
        gauge.set(totals === null ? Number.NaN : of(totals));
      },
    });
  registerAmount('credits_available', 'Credits that can still be spent', ({ available }) => available);
  registerAmount('credits_on_hold', 'Credits that running calls hold', ({ held }) => held);
  registerAmount('holds_open', 'Calls that hold credits', ({ openHolds }) => openHolds);
  metrics.gauge('keys', 'Keys by kind and state', {
    labels: ['kind', 'state'],
    overWorkers: 'first',
    async read(gauge) {
      gauge.reset();
      for (const { kind, state, count } of (await latest())?.keys ?? []) gauge.set({ kind, state }, count);
    },
  });
  metrics.gauge('books_readable', 'Whether the ledger store could be read in time', {
    overWorkers: 'min',
    async read(gauge) {
      gauge.set((await latest()) === null ? 0 : 1);
    },
  });
}

/** The totals, or null if they cannot be read in time. The metrics show that; failing calls log the reason. */
async function readInTime(
  ms: number,
  read: (signal: AbortSignal) => Promise<Totals>,
): Promise<Totals | null> {
  const ended = new AbortController();
  try {
    return await Promise.race([read(ended.signal), setTimeout(ms, null, { signal: ended.signal })]);
  } catch {
    return null;
  } finally {
    ended.abort();
  }
}
