import assert from 'node:assert/strict';
import { type Selectable, sql } from 'kysely';
import { DAY_MS } from '../../platform/clock.ts';
import type { EntryTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { raiseHorizon } from './horizon.ts';

type Entry = Selectable<EntryTable>;
type RollArgs = { keyId: string; before: number; most: number };
/** A range of a key's versions: after `after`, up to and including `to`. */
type Range = { keyId: string; after: number; to: number };

/**
 * Rolls the charges of a key from before `before` into one entry per UTC day, examining at most `most` entries. Refunded charges
 * and all other entries stay; they end a run, so a day may have several rolled entries. Deletes the holds of rolled charges, so
 * that none of them can be settled or refunded again. Returns whether there may be more to roll.
 */
export const rollUsage = defineProcedure(
  resolveThreadModule('billing/retention/roll-usage').href,
  'rollUsage',
  { durability: 'kept' },
  function* (ledgerStore, { keyId, before, most }: RollArgs): Steps<boolean> {
    const { db } = ledgerStore;
    const after = yield* lockProgress(ledgerStore, keyId);
    const next = yield* readRows(
      db
        .selectFrom('entry')
        .selectAll()
        .where('key_id', '=', keyId)
        .where('version', '>', after)
        .orderBy('version')
        .limit(most),
    );
    const young = next.findIndex(({ at }) => at >= before);
    const old = young === -1 ? next : next.slice(0, young);
    const to = old.at(-1)?.version;
    if (to === undefined) return false;
    const range = { keyId, after, to };
    // Done before refunds are read: after this, none can be added.
    yield* readRows(deleteCapturedHolds(db, range));
    const refunded = new Set((yield* readRows(selectRefunds(db, range))).map(({ ref }) => ref));
    for (const run of splitIntoRuns(old.filter(({ kind, ref }) => kind === 'usage' && !refunded.has(ref))))
      yield* replaceByOne(db, run);
    yield* readRows(db.updateTable('roll_progress').set({ version: to }).where('key_id', '=', keyId));
    yield* readRows(raiseHorizon(db, 'usage', before));
    return young === -1 && next.length === most;
  },
);

/** Locks a key against other processes that roll. Returns the version up to which it has been rolled. */
function* lockProgress({ db, dialect }: LedgerQueries, keyId: string): Steps<number> {
  yield* readRows(
    db
      .insertInto('roll_progress')
      .values({ key_id: keyId, version: 0 })
      .onConflict((row) => row.column('key_id').doNothing()),
  );
  const stored = db.selectFrom('roll_progress').select('version').where('key_id', '=', keyId);
  const progress = yield* readFirst(dialect === 'postgres' ? stored.forUpdate() : stored);
  assert(progress !== null, 'a key that is rolled has a row for its progress');
  return progress.version;
}

function deleteCapturedHolds(db: LedgerQueries['db'], range: Range) {
  return db.deleteFrom('hold').where('state', '=', 'captured').where('id', 'in', selectUsageRefs(db, range));
}

function selectRefunds(db: LedgerQueries['db'], range: Range) {
  return db
    .selectFrom('entry')
    .select('ref')
    .where('kind', '=', 'refund')
    .where('ref', 'in', selectUsageRefs(db, range));
}

function selectUsageRefs(db: LedgerQueries['db'], { keyId, after, to }: Range) {
  return db
    .selectFrom('entry as charge')
    .select('charge.ref')
    .where('charge.key_id', '=', keyId)
    .where('charge.version', '>', after)
    .where('charge.version', '<=', to)
    .where('charge.kind', '=', 'usage');
}

/** Splits charges in the order of their versions into runs without gaps, each within one UTC day. */
function splitIntoRuns(charges: Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  let last: Entry | undefined;
  for (const charge of charges) {
    if (last?.version === charge.version - 1 && computeDayStart(last) === computeDayStart(charge))
      runs.at(-1)?.push(charge);
    else runs.push([charge]);
    last = charge;
  }
  return runs;
}

/** Returns the start of an entry's UTC day. */
function computeDayStart({ at }: Entry): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/**
 * Replaces a run by one entry, or adds it to the preceding rolled entry of the same day. Does not roll a broken chain: the audit
 * must find it.
 */
function* replaceByOne(db: LedgerQueries['db'], run: Entry[]): Steps<void> {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return;
  const { key_id: keyId, contra } = first;
  const delta = run.reduce((sum, entry) => sum + entry.delta, 0);
  assert(last.balance === first.balance - first.delta + delta, 'the balances of rolled charges add up');
  const before = yield* readFirst(
    db
      .selectFrom('entry')
      .selectAll()
      .where('key_id', '=', keyId)
      .where('version', '=', first.version - 1),
  );
  assert(before?.balance === first.balance - first.delta, 'a rolled charge follows another entry');
  yield* readRows(
    db
      .deleteFrom('entry')
      .where('key_id', '=', keyId)
      .where('version', '>=', first.version)
      .where('version', '<=', last.version),
  );
  const { version, balance } = last;
  if (before.kind === 'rolled' && before.at === computeDayStart(first))
    yield* readRows(
      db
        .updateTable('entry')
        .set({
          version,
          balance,
          delta: sql<number>`delta + ${delta}`,
          entries: sql<number>`entries + ${run.length}`,
        })
        .where('key_id', '=', keyId)
        .where('version', '=', before.version),
    );
  else
    yield* readRows(
      db.insertInto('entry').values({
        key_id: keyId,
        version,
        kind: 'rolled',
        contra,
        delta,
        balance,
        ref: `${keyId}:${first.version}`,
        at: computeDayStart(first),
        entries: run.length,
      }),
    );
}
