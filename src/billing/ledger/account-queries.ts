import { type Compilable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { AccountTable, EntryTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { assertSolvent, assertSome, assertWhole } from './prices.ts';

type Db = LedgerQueries['db'];

/** Subquery for the account id of a key. An account has the id of its first key, so an account id maps to itself. */
export function selectAccountId(db: Db, keyId: string) {
  return db
    .selectFrom('api_key')
    .select(sql<string>`coalesce(account_id, id)`.as('account'))
    .where('id', '=', keyId);
}

/** Adds credits to the account of a key, and increments its number of ledger entries. */
export function addCredits(db: Db, keyId: string, credits: number): Compilable<Selectable<AccountTable>> {
  assertSome(credits, 'an account is credited with at least one whole credit');
  return db
    .updateTable('account')
    .set({ available: sql<number>`available + ${credits}`, version: sql<number>`version + 1` })
    .where('key_id', '=', selectAccountId(db, keyId))
    .returningAll();
}

/** Inserts the ledger entry of a change; `account` is the row after the change. */
export function addEntry(
  db: Db,
  account: Pick<Selectable<AccountTable>, 'key_id' | 'version' | 'available' | 'held'>,
  entry: Pick<EntryTable, 'kind' | 'contra' | 'ref' | 'delta' | 'at'>,
): Compilable {
  const { key_id, version, available, held } = account;
  assertSome(Math.abs(entry.delta), 'a ledger entry moves at least one whole credit');
  assertSolvent(account, 'a ledger entry leaves no negative balance');
  assertSome(version, 'ledger entries are numbered from 1');
  return db.insertInto('entry').values({ ...entry, key_id, version, balance: available + held });
}

/** Reads the row of a key's account and locks it until the procedure ends. */
export function* lockAccount({ db, dialect }: LedgerQueries, keyId: string): Steps<Selectable<AccountTable>> {
  const account = db.selectFrom('account').selectAll().where('key_id', '=', selectAccountId(db, keyId));
  const locked = yield* readFirst(dialect === 'postgres' ? account.forUpdate() : account);
  if (locked === null) throw new Error(`the key ${keyId} has no account`);
  return locked;
}

/** Adds purchased credits, and deducts the key's debt for credits that were spent before their purchase was refunded. */
export function* addPurchasedCredits(
  ledgerStore: LedgerQueries,
  bought: { keyId: string; credits: number; kind: 'purchase' | 'reload'; ref: string; at: number },
): Steps<void> {
  const { keyId, credits, kind, ref, at } = bought;
  const account = yield* readFirst(addCredits(ledgerStore.db, keyId, credits));
  if (account === null) throw new Error(`the key ${keyId} has no account`);
  yield* readRows(addEntry(ledgerStore.db, account, { kind, contra: 'payments', ref, delta: credits, at }));
  if (account.debt > 0) yield* clawBackCredits(ledgerStore, { keyId, credits: 0, ref: `debt:${ref}`, at });
}

/** Claws credits back. Credits that the key no longer has become debt, and the key is frozen while it has debt. */
export function* clawBackCredits(
  ledgerStore: LedgerQueries,
  { keyId, credits, ref, at }: { keyId: string; credits: number; ref: string; at: number },
): Steps<void> {
  const { db } = ledgerStore;
  assertWhole(credits, 'a clawback takes a whole number of credits');
  const account = yield* lockAccount(ledgerStore, keyId);
  assertWhole(account.debt, 'a key owes a whole number of credits');
  const owed = account.debt + credits;
  const taken = Math.min(owed, account.available);
  const after = yield* readFirst(
    db
      .updateTable('account')
      .set({
        available: sql<number>`available - ${taken}`,
        version: sql<number>`version + ${taken > 0 ? 1 : 0}`,
        debt: owed - taken,
      })
      .where('key_id', '=', account.key_id)
      .returningAll(),
  );
  if (after === null) throw new Error(`the key ${keyId} has no account`);
  if (taken > 0)
    yield* readRows(addEntry(db, after, { kind: 'clawback', contra: 'payments', ref, delta: -taken, at }));
  yield* freezeOrThaw(ledgerStore, account.key_id);
}

/** Returns credits that a clawback took; they reduce the key's debt first. */
export function* restoreCredits(
  ledgerStore: LedgerQueries,
  { keyId, credits, ref, at }: { keyId: string; credits: number; ref: string; at: number },
): Steps<void> {
  const { db } = ledgerStore;
  assertSome(credits, 'at least one whole credit is restored');
  const account = yield* lockAccount(ledgerStore, keyId);
  assertWhole(account.debt, 'a key owes a whole number of credits');
  const forgiven = Math.min(account.debt, credits);
  const given = credits - forgiven;
  yield* readRows(
    db
      .updateTable('account')
      .set({ debt: account.debt - forgiven })
      .where('key_id', '=', account.key_id),
  );
  if (given > 0) {
    const after = yield* readFirst(addCredits(db, account.key_id, given));
    if (after === null) throw new Error(`the key ${keyId} has no account`);
    yield* readRows(addEntry(db, after, { kind: 'restored', contra: 'payments', ref, delta: given, at }));
  }
  yield* freezeOrThaw(ledgerStore, account.key_id);
}

/** Freezes the keys of an account that owes credits, unfreezes them otherwise, and freezes the credits that disputed payments gave. */
export function* freezeOrThaw({ db }: LedgerQueries, keyId: string): Steps<void> {
  const account = yield* readFirst(
    db
      .updateTable('account')
      .set({ disputed: sumDisputed(keyId) })
      .where('key_id', '=', keyId)
      .returning('debt'),
  );
  const frozen = account !== null && account.debt > 0;
  yield* readRows(
    db
      .updateTable('api_key')
      .set({ state: frozen ? 'frozen' : 'active' })
      .where((is) => is.or([is('id', '=', keyId), is('account_id', '=', keyId)]))
      .where('state', '=', frozen ? 'active' : 'frozen'),
  );
}

/** The credits that payments with an open dispute gave and that were not taken back. */
function sumDisputed(keyId: string): RawBuilder<number> {
  const given = (table: 'checkout' | 'purchase') =>
    sql`select coalesce(sum(credits - clawed_back), 0) from ${sql.table(table)} where key_id = ${keyId} and dispute = 'open'`;
  return sql<number>`(${given('checkout')}) + (${given('purchase')})`;
}
