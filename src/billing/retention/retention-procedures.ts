import assert from 'node:assert/strict';
import { type Compilable, type RawBuilder, type Selectable, sql } from 'kysely';
import { DAY_MS } from '../../platform/clock.ts';
import type { EntryTable, LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';

const here = resolveThreadModule('billing/retention/retention-procedures').href;

/** Free pages to leave in the file for new rows. */
const FREE_SHARE = 0.1;
const FREE_PAGES = 1_000;
/** Pages moved at a time, so that the write lock is not held for long. */
const PAGES_AT_ONCE = 100;

/**
 * SQLite: returns some free pages at the end of the file to the disk if many are free; returns whether it did. A file that was
 * not set up for this keeps its size and reuses its pages. PostgreSQL does the same by itself (autovacuum).
 */
export const shrinkFile = defineProcedure(
  resolveThreadModule('billing/retention/retention-procedures').href,
  'shrinkFile',
  { durability: 'kept' },
  function* ({ db, dialect }, _: null): Steps<boolean> {
    if (dialect === 'postgres') return false;
    const runPragma = (text: string): Steps<Record<string, number>[]> =>
      readRows({ compile: () => sql<Record<string, number>>`pragma ${sql.raw(text)}`.compile(db) });
    const [all] = yield* runPragma('page_count');
    const [free] = yield* runPragma('freelist_count');
    const kept = FREE_PAGES + (all?.page_count ?? 0) * FREE_SHARE;
    if ((free?.freelist_count ?? 0) <= kept) return false;
    yield* runPragma(`incremental_vacuum(${PAGES_AT_ONCE})`);
    const [rest] = yield* runPragma('freelist_count');
    return (rest?.freelist_count ?? 0) < (free?.freelist_count ?? 0);
  },
);

/** Deletes ended holds. Their charges stay, and can no longer be settled or refunded. */
export const forgetHolds = defineProcedure(
  here,
  'forgetHolds',
  { durability: 'kept' },
  function* ({ db }, args: ForgetArgs): Steps<number> {
    yield* readRows(raiseHorizon(db, 'hold', args.before));
    return yield* forget(db, 'hold', { ...args, at: 'expires_at', where: sql`state <> 'held'` });
  },
);

/** Deletes handled events. Providers repeat an event for three days at most, and a repeated one changes nothing. */
export const forgetEvents = defineProcedure(
  here,
  'forgetEvents',
  { durability: 'kept' },
  ({ db }, args: ForgetArgs) =>
    forget(db, 'payment_event', { ...args, at: 'handled_at', where: sql`handled_at is not null` }),
);

/** Deletes expired payment pages: nothing was paid, and nothing can be paid any more. */
export const forgetExpiredCheckouts = defineProcedure(
  here,
  'forgetExpiredCheckouts',
  { durability: 'kept' },
  ({ db }, args: ForgetArgs) =>
    forget(db, 'checkout', { ...args, at: 'created_at', where: sql`state = 'expired'` }),
);

/** Deletes expired sessions. */
export const forgetSessions = defineProcedure(
  here,
  'forgetSessions',
  { durability: 'kept' },
  ({ db }, args: ForgetArgs) => forget(db, 'session', { ...args, at: 'expires_at', where: sql`1 = 1` }),
);

/** Deletes sandbox objects, except those still in use: cards saved for a key, unfinished checkouts and purchases. */
export const forgetSandboxObjects = defineProcedure(
  here,
  'forgetSandboxObjects',
  { durability: 'kept' },
  ({ db }, args: ForgetArgs) =>
    forget(db, 'sandbox_object', {
      ...args,
      at: 'updated_at',
      where: sql`not exists (select 1 from account where card is not null and card = sandbox_object.id)
        and not exists (select 1 from checkout where provider_id = sandbox_object.id and state in ('created', 'open', 'awaiting'))
        and not exists (select 1 from purchase where purchase.id = sandbox_object.reference and state in ('created', 'processing'))`,
    }),
);

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
  resolveThreadModule('billing/retention/retention-procedures').href,
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

/** Deletes at most `most` rows from before `before`; returns their number. */
type ForgetArgs = { before: number; most: number };

type TableWithId = {
  [T in keyof LedgerTables]: LedgerTables[T] extends { id: string } ? T : never;
}[keyof LedgerTables];

function* forget(
  db: LedgerQueries['db'],
  table: TableWithId,
  { before, most, at, where }: ForgetArgs & { at: string; where: RawBuilder<unknown> },
): Steps<number> {
  const query = sql`delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where ${where} and ${sql.ref(at)} < ${before} order by ${sql.ref(at)} limit ${most})
    returning id`;
  return (yield* readRows({ compile: () => query.compile(db) })).length;
}

/** Records that rows older than `before` may be rolled or deleted. The horizon is never lowered. */
function raiseHorizon(
  db: LedgerQueries['db'],
  subject: LedgerTables['horizon']['subject'],
  before: number,
): Compilable {
  return db
    .insertInto('horizon')
    .values({ subject, before })
    .onConflict((row) => row.column('subject').doUpdateSet({ before }).where('horizon.before', '<', before));
}
