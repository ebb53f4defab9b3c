import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { beginSession, endSessions } from './session-procedures.ts';

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
