import { createHash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { SessionTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerStore,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { lockAccount } from '../ledger/account-queries.ts';

const here = resolveThreadModule('billing/keys/owner-sessions').href;

/** Maximum sessions per account; a new one replaces the oldest. */
export const SESSIONS_PER_ACCOUNT_MAX = 10;
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

/** A sign-in to an account with one of its keys. */
export type OwnerSession = {
  /** The hash of the token. */
  id: string;
  account: string;
  keyId: string;
  expiresAt: number;
};

/** Browser sessions of owners. They survive a restart; only a hash of the token is stored. */
export type OwnerSessions = {
  /** Starts a session and returns its token, which goes into the cookie. */
  begin(keyId: string): Promise<{ token: string; session: OwnerSession }>;
  /** Null if the session has ended, or its key has ended or may no longer manage the account. */
  find(token: string): Promise<OwnerSession | null>;
  end(session: OwnerSession): Promise<void>;
  /** Ends all sessions of an account. */
  endAll(account: string): Promise<void>;
};

/** Lifetime of a session. */
const SESSION_MS = 7 * DAY_MS;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

export function createOwnerSessions({
  ledgerStore,
  clock,
}: {
  ledgerStore: LedgerStore;
  clock: Clock;
}): OwnerSessions {
  const find = async (token: string): Promise<OwnerSession | null> => {
    if (!TOKEN.test(token)) return null;
    const now = clock.now();
    const row = await ledgerStore.db
      .selectFrom('session')
      .innerJoin('api_key', 'api_key.id', 'session.signed_in_with')
      .select(['session.id', 'session.key_id as account', 'api_key.id as keyId'])
      .select('session.expires_at as expiresAt')
      .where('session.id', '=', hashToken(token))
      .where('session.expires_at', '>', now)
      .where('state', '!=', 'revoked')
      .where('manages', '=', 1)
      .where(sql<boolean>`(api_key.expires_at is null or api_key.expires_at > ${now})`)
      .executeTakeFirst();
    return row === undefined ? null : { ...row };
  };
  return {
    async begin(keyId) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const now = clock.now();
      await ledgerStore.run(beginSession, {
        id: hashToken(token),
        signed_in_with: keyId,
        created_at: now,
        expires_at: now + SESSION_MS,
      });
      const session = await find(token);
      if (session === null) throw new Error('a session ended as it began');
      return { token, session };
    },
    find,
    end: ({ id }) => ledgerStore.run(endSessions, { by: 'id', value: id }),
    endAll: (account) => ledgerStore.run(endSessions, { by: 'key_id', value: account }),
  };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
