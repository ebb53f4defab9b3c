/**
 * Retention keeps the ledger bounded: it deletes old holds, events, sessions and payment pages, and rolls old charges into daily entries.
 * Balances never change, and a pass may stop at any time: the next one continues. Copies of pages and searches are not its business.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { LedgerStore, Procedure } from '../../platform/store/ledger/procedure.ts';
import {
  forgetEvents,
  forgetExpiredCheckouts,
  forgetHolds,
  forgetSandboxObjects,
  forgetSessions,
  rollUsage,
  shrinkFile,
} from './retention-procedures.ts';

/** Bounds the ledger by deleting the details of old days or rolling them into daily entries. */
export type Retention = {
  /** Does what is due, in steps that hold the write lock only briefly. Continues where an earlier pass stopped. */
  run(signal?: AbortSignal): Promise<void>;
};

/** Days to keep a hold after it ended. A call settles or refunds within minutes. */
const HOLD_DAYS = 3;
/** Maximum rows per step. */
const ROWS_AT_ONCE = 50;
/** Pause between two steps, in which others can write. */
const PAUSE_MS = 10;
/** Keys read at a time, because SQLite reads on the event loop. */
const SLICE_KEYS = 200;

type RetentionDeps = {
  ledgerStore: LedgerStore;
  clock: Clock;
  detailDays: number;
  rowsAtOnce?: number;
  pauseMs?: number;
};

export function createRetention({
  ledgerStore,
  clock,
  detailDays,
  rowsAtOnce = ROWS_AT_ONCE,
  pauseMs = PAUSE_MS,
}: RetentionDeps): Retention {
  /** Repeats a step until it reports that nothing is left. */
  const repeat = async (step: () => Promise<boolean>, signal?: AbortSignal): Promise<void> => {
    while (!signal?.aborted && (await step())) await setTimeout(pauseMs);
  };
  const forget = (procedure: Procedure<{ before: number; most: number }, number>, before: number) =>
    repeat.bind(null, async () => {
      const args = { before, most: rowsAtOnce };
      return (await ledgerStore.run(procedure, args)) === rowsAtOnce;
    });
  return {
    async run(signal) {
      const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
      const before = today - detailDays * DAY_MS;
      const holdsBefore = today - Math.min(detailDays, HOLD_DAYS) * DAY_MS;
      await forget(forgetHolds, holdsBefore)(signal);
      await forget(forgetSessions, clock.now())(signal);
      for (const procedure of [forgetEvents, forgetSandboxObjects, forgetExpiredCheckouts])
        await forget(procedure, before)(signal);
      const problems: unknown[] = [];
      for await (const keyId of listKeysToRoll(ledgerStore, before)) {
        if (signal?.aborted) return;
        const args = { keyId, before, most: rowsAtOnce };
        await repeat(() => ledgerStore.run(rollUsage, args), signal).catch((error: unknown) => {
          // If the chain of one key is damaged, the others are still rolled.
          problems[0] ??= error;
        });
      }
      if (ledgerStore.dialect === 'sqlite') await repeat(() => ledgerStore.run(shrinkFile, null), signal);
      if (problems.length > 0) throw problems[0];
    },
  };
}

/** Lists keys whose first entry after the rolled ones is older than `before`. */
async function* listKeysToRoll({ db }: LedgerStore, before: number): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const slice = await db
      .selectFrom('account')
      .leftJoin('roll_progress', 'roll_progress.key_id', 'account.key_id')
      .select('account.key_id')
      .select(({ selectFrom }) =>
        selectFrom('entry')
          .select('at')
          .whereRef('entry.key_id', '=', 'account.key_id')
          .where('entry.version', '>', sql<number>`coalesce(roll_progress.version, 0)`)
          .orderBy('entry.version')
          .limit(1)
          .as('next_at'),
      )
      .where('account.key_id', '>', after)
      .orderBy('account.key_id')
      .limit(SLICE_KEYS)
      .execute();
    for (const { key_id, next_at } of slice) if (next_at !== null && next_at < before) yield key_id;
    const last = slice.at(-1);
    if (last === undefined) return;
    after = last.key_id;
    await setImmediate();
  }
}
