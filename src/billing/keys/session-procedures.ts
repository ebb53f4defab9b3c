import type { Selectable } from 'kysely';
import type { SessionTable } from '../../platform/store/ledger/ledger-tables.ts';
import { defineProcedure, readRows, type Steps } from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { lockAccount } from '../ledger/account-queries.ts';

/** Maximum sessions per account; a new one replaces the oldest. */
export const SESSIONS_PER_ACCOUNT_MAX = 10;

const here = resolveThreadModule('billing/keys/session-procedures').href;

/** Signs a browser in to the account of a key. */
export const beginSession = defineProcedure(
  here,
  'beginSession',
  { durability: 'flushed' },
  function* (ledgerStore, session: Omit<Selectable<SessionTable>, 'key_id'>): Steps<void> {
    const { db } = ledgerStore;
    const { key_id } = yield* lockAccount(ledgerStore, session.signed_in_with);
    const others = yield* readRows(
      db
        .selectFrom('session')
        .select('id')
        .where('key_id', '=', key_id)
        .orderBy('created_at', 'desc')
        .orderBy('id'),
    );
    const oldest = others.slice(SESSIONS_PER_ACCOUNT_MAX - 1).map(({ id }) => id);
    if (oldest.length > 0) yield* readRows(db.deleteFrom('session').where('id', 'in', oldest));
    yield* readRows(db.insertInto('session').values({ ...session, key_id }));
  },
);

/** Ends one session, or all sessions of an account. */
export const endSessions = defineProcedure(
  here,
  'endSessions',
  { durability: 'flushed' },
  function* ({ db }, { by, value }: { by: 'id' | 'key_id'; value: string }): Steps<void> {
    yield* readRows(db.deleteFrom('session').where(by, '=', value));
  },
);
