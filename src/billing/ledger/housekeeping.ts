import { setTimeout } from 'node:timers/promises';
import type { Events } from '../../contract/events.ts';
import { type Background, runPeriodically } from '../../platform/background.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { cacheFor } from '../../platform/lazy.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import type { Retention } from '../retention/retention.ts';
import type { Allowance } from './allowance.ts';
import { EXPIRED_MAX, type Ledger } from './ledger.ts';
import { LEASE_MS, RENEW_EVERY_MS, type RenewingMeter } from './meter.ts';
import { readTotals, type Totals } from './totals.ts';

/** Minimum time between reads of the ledger store, however often metrics are scraped. */
const FRESH_MS = 10_000;
/** Time limit of a read, so that it does not delay the other metrics. */
const READ_MS = 700;

/** The periodic work of the ledger. */
type Housekeeping = { start(): void; stop(): void };

const EXPIRE_EVERY_MS = 5_000;
/** If the two clocks drift apart by more than this between two passes, the wall clock was changed. */
const SET_MS_MIN = 2_000;
const FORGET_EVERY_MS = 3_600_000;
const ROLL_EVERY_MS = 3_600_000;

export function createHousekeeping(deps: {
  ledger: Ledger;
  meter: Pick<RenewingMeter, 'renewHolds'>;
  allowance: Allowance;
  retention: Retention;
  clock: Clock;
  steady: Clock;
  events: Events;
  background: Background;
}): Housekeeping {
  const { ledger, meter, allowance, retention, clock, steady, events, background } = deps;
  const wasSet = watchClockChanges(clock, steady);
  let end = (): void => {};
  let rolling: Promise<void> | null = null;
  const expire = async (): Promise<void> => {
    // By the new time every hold may look expired; give each process time to renew its own first.
    if (wasSet()) return;
    let voided = 0;
    do {
      voided = await ledger.expire(clock.now());
      if (voided > 0) events.holdsExpired(voided);
    } while (voided === EXPIRED_MAX);
  };
  /** Joins a pass that is still running: one over a large backlog may take longer than the interval. */
  const roll = async (signal: AbortSignal): Promise<void> => {
    rolling ??= retention.run(signal).finally(() => {
      rolling = null;
    });
    await rolling;
  };
  return {
    start() {
      const stopped = new AbortController();
      const endTimers = runPeriodically(background, [
        { name: 'renew holds', ms: RENEW_EVERY_MS, work: () => meter.renewHolds() },
        { name: 'void expired holds', ms: EXPIRE_EVERY_MS, work: expire },
        { name: 'forget past allowances', ms: FORGET_EVERY_MS, work: () => allowance.forgetPast() },
        { name: 'roll old charges', ms: ROLL_EVERY_MS, work: () => roll(stopped.signal) },
      ]);
      end = () => {
        stopped.abort();
        endTimers();
      };
    },
    stop: () => end(),
  };
}

/** Returns a function that tells whether the clock was changed within the time in which every live process renews its holds. */
function watchClockChanges(clock: Clock, steady: Clock): () => boolean {
  let offset = clock.now() - steady.now();
  let setAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = steady.now();
    const before = offset;
    offset = clock.now() - now;
    if (Math.abs(offset - before) > SET_MS_MIN) setAt = now;
    return now - setAt < LEASE_MS;
  };
}

/** Adds gauges of the totals over all keys, read on scrape. If the read fails, `books_readable` is 0 and the others are absent. */
export function watchLedger(
  metrics: Metrics,
  { db }: Pick<LedgerStore, 'db'>,
  { clock = systemClock, readMs = READ_MS }: { clock?: Clock; readMs?: number } = {},
): void {
  const latest = cacheFor(FRESH_MS, clock, () => readInTime(readMs, (signal) => readTotals(db, { signal })));
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

/** Returns the totals, or null if they cannot be read in time. The metrics show that; failing calls log the reason. */
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
