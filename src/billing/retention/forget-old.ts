import { type RawBuilder, sql } from 'kysely';
import type { LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { raiseHorizon } from './horizon.ts';

/** Deletes at most `most` rows from before `before`; returns their number. */
type ForgetArgs = { before: number; most: number };

const here = resolveThreadModule('billing/retention/forget-old').href;

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
