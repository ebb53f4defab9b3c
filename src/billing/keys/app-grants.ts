import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { AppGrantTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerStore,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { selectAccountId } from '../ledger/account-queries.ts';
import { type FoundKey, selectCallingKey, toCallingKey } from './known-keys.ts';

const here = resolveThreadModule('billing/keys/app-grants').href;

/** The permission of an application to act for the holder of a key. */
export const APP_SCOPES = ['search', 'read', 'account'] as const;
export type AppScope = (typeof APP_SCOPES)[number];

/** Prefix of access tokens, so that they are told from keys. */
export const ACCESS_PREFIX = 'sdt_';
const REFRESH_PREFIX = 'sdr_';
const TOKEN_BYTES = 32;
/** Maximum grants of a key; a new one replaces the oldest. */
const GRANTS_PER_KEY_MAX = 20;
const CODE_MS = 60_000;
const ACCESS_MS = 3_600_000;
/** A grant ends when it was not refreshed for so long. */
const REFRESH_MS = 30 * DAY_MS;

export type AppTokens = { accessToken: string; refreshToken: string; expiresMs: number; scopes: AppScope[] };

/** An application that was signed in, as its owner sees it. */
export type AppGrant = {
  id: string;
  keyId: string;
  name: string;
  scopes: AppScope[];
  createdAt: number;
  usedAt: number;
};

type GrantOrder = {
  keyId: string;
  clientId: string;
  name: string;
  redirectUri: string;
  /** The challenge of PKCE with S256. */
  challenge: string;
  scopes: readonly AppScope[];
};

/** Grants of key holders to applications. Codes and tokens are stored as hashes; each code and each refresh token counts once. */
export type AppGrants = {
  /** Begins a grant and returns its code. */
  begin(order: GrantOrder): Promise<string>;
  /** Null if the code is not good for this client; a code that comes twice ends its grant. */
  exchange(proof: {
    code: string;
    clientId: string;
    redirectUri: string;
    verifier: string;
  }): Promise<AppTokens | null>;
  /** Null if the token is not good for this client; a token that was replaced ends its grant. */
  refresh(proof: { token: string; clientId: string }): Promise<AppTokens | null>;
  /** Finds the key behind an access token; null if it has ended. Throws `Failure('expired_api_key')`. */
  find(accessToken: string): Promise<{ key: FoundKey; scopes: AppScope[] } | null>;
  /** Ends the grant of an access or refresh token, if there is one. */
  end(token: string): Promise<void>;
  ofAccount(account: string): Promise<AppGrant[]>;
  /** Ends a grant for the owner of the account. */
  endOwn(account: string, id: string): Promise<void>;
};

type NewGrant = Omit<AppGrantTable, 'access_hash' | 'access_until' | 'refresh_hash' | 'old_refresh_hash'>;

export const beginGrant = defineProcedure(
  here,
  'beginGrant',
  { durability: 'flushed' },
  function* ({ db }, grant: NewGrant): Steps<void> {
    yield* readRows(db.deleteFrom('app_grant').where('ends_at', '<=', grant.created_at));
    const others = yield* readRows(
      db
        .selectFrom('app_grant')
        .select('id')
        .where('key_id', '=', grant.key_id)
        .orderBy('created_at', 'desc')
        .orderBy('id'),
    );
    const oldest = others.slice(GRANTS_PER_KEY_MAX - 1).map(({ id }) => id);
    if (oldest.length > 0) yield* readRows(db.deleteFrom('app_grant').where('id', 'in', oldest));
    yield* readRows(
      db.insertInto('app_grant').values({
        ...grant,
        access_hash: null,
        access_until: null,
        refresh_hash: null,
        old_refresh_hash: null,
      }),
    );
  },
);

type NewTokens = { access: string; refresh: string; now: number };

const tokenValues = ({ access, refresh, now }: NewTokens) => ({
  access_hash: access,
  access_until: now + ACCESS_MS,
  refresh_hash: refresh,
  ends_at: now + REFRESH_MS,
  used_at: now,
});

export const exchangeCode = defineProcedure(
  here,
  'exchangeCode',
  { durability: 'flushed' },
  function* (
    { db },
    args: { code: string; clientId: string; redirectUri: string; challenge: string; tokens: NewTokens },
  ): Steps<string | null> {
    const { code, clientId, redirectUri, challenge, tokens } = args;
    const exchanged = yield* readFirst(
      db
        .updateTable('app_grant')
        .set(tokenValues(tokens))
        .where('code_hash', '=', code)
        .where('access_hash', 'is', null)
        .where('ends_at', '>', tokens.now)
        .where('client_id', '=', clientId)
        .where('redirect_uri', '=', redirectUri)
        .where('challenge', '=', challenge)
        .returning('scopes'),
    );
    // A code that is used again, or with the wrong proof, was stolen.
    if (exchanged === null) yield* readRows(db.deleteFrom('app_grant').where('code_hash', '=', code));
    return exchanged?.scopes ?? null;
  },
);

export const refreshGrant = defineProcedure(
  here,
  'refreshGrant',
  { durability: 'flushed' },
  function* (
    { db },
    { token, clientId, tokens }: { token: string; clientId: string; tokens: NewTokens },
  ): Steps<string | null> {
    const refreshed = yield* readFirst(
      db
        .updateTable('app_grant')
        .set({ ...tokenValues(tokens), old_refresh_hash: token })
        .where('refresh_hash', '=', token)
        .where('client_id', '=', clientId)
        .where('ends_at', '>', tokens.now)
        .returning('scopes'),
    );
    if (refreshed === null) yield* readRows(db.deleteFrom('app_grant').where('old_refresh_hash', '=', token));
    return refreshed?.scopes ?? null;
  },
);

export const endGrant = defineProcedure(
  here,
  'endGrant',
  { durability: 'flushed' },
  function* ({ db }, { token }: { token: string }): Steps<void> {
    yield* readRows(
      db
        .deleteFrom('app_grant')
        .where((is) => is.or([is('access_hash', '=', token), is('refresh_hash', '=', token)])),
    );
  },
);

export const endOwnGrant = defineProcedure(
  here,
  'endOwnGrant',
  { durability: 'flushed' },
  function* ({ db }, { account, id }: { account: string; id: string }): Steps<void> {
    const keys = db
      .selectFrom('api_key')
      .select('id')
      .where(sql<string>`coalesce(account_id, id)`, '=', account);
    yield* readRows(db.deleteFrom('app_grant').where('id', '=', id).where('key_id', 'in', keys));
  },
);

export function createAppGrants({
  ledgerStore,
  clock,
}: {
  ledgerStore: LedgerStore;
  clock: Clock;
}): AppGrants {
  const issue = async (run: (tokens: NewTokens) => Promise<string | null>): Promise<AppTokens | null> => {
    const [accessToken, refreshToken] = [createToken(ACCESS_PREFIX), createToken(REFRESH_PREFIX)];
    const scopes = await run({
      access: hashToken(accessToken),
      refresh: hashToken(refreshToken),
      now: clock.now(),
    });
    return scopes === null
      ? null
      : { accessToken, refreshToken, expiresMs: ACCESS_MS, scopes: readScopes(scopes) };
  };
  return {
    async begin({ keyId, clientId, name, redirectUri, challenge, scopes }) {
      const code = createToken('');
      const now = clock.now();
      await ledgerStore.run(beginGrant, {
        id: `app_${randomBytes(12).toString('hex')}`,
        key_id: keyId,
        client_id: clientId,
        name,
        redirect_uri: redirectUri,
        challenge,
        scopes: scopes.join(' '),
        code_hash: hashToken(code),
        created_at: now,
        used_at: now,
        ends_at: now + CODE_MS,
      });
      return code;
    },
    exchange: ({ code, clientId, redirectUri, verifier }) =>
      issue((tokens) =>
        ledgerStore.run(exchangeCode, {
          code: hashToken(code),
          clientId,
          redirectUri,
          challenge: createHash('sha256').update(verifier).digest('base64url'),
          tokens,
        }),
      ),
    refresh: ({ token, clientId }) =>
      issue((tokens) => ledgerStore.run(refreshGrant, { token: hashToken(token), clientId, tokens })),
    async find(accessToken) {
      const now = clock.now();
      const row = await selectCallingKey(ledgerStore)
        .innerJoin('app_grant', 'app_grant.key_id', 'api_key.id')
        .select('app_grant.scopes')
        .where('access_hash', '=', hashToken(accessToken))
        .where('access_until', '>', now)
        .executeTakeFirst();
      if (row === undefined) return null;
      const scopes = readScopes(row.scopes);
      const key = toCallingKey(row, now);
      return { scopes, key: scopes.includes('account') ? key : { ...key, onlyCalls: true } };
    },
    end: (token) => ledgerStore.run(endGrant, { token: hashToken(token) }),
    async ofAccount(account) {
      const rows = await ledgerStore.db
        .selectFrom('app_grant')
        .innerJoin('api_key', 'api_key.id', 'app_grant.key_id')
        .select(['app_grant.id', 'key_id as keyId', 'name', 'scopes', 'app_grant.created_at as createdAt'])
        .select('used_at as usedAt')
        .where(
          sql<string>`coalesce(api_key.account_id, api_key.id)`,
          '=',
          selectAccountId(ledgerStore.db, account),
        )
        .where('refresh_hash', 'is not', null)
        .where('ends_at', '>', clock.now())
        .orderBy('app_grant.created_at', 'desc')
        .orderBy('app_grant.id')
        .execute();
      return rows.map(({ scopes, ...grant }) => ({ ...grant, scopes: readScopes(scopes) }));
    },
    endOwn: (account, id) => ledgerStore.run(endOwnGrant, { account, id }),
  };
}

const createToken = (prefix: string): string => prefix + randomBytes(TOKEN_BYTES).toString('base64url');

/** A token has 256 random bits, so no slow hash is needed. */
function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function readScopes(text: string): AppScope[] {
  return APP_SCOPES.filter((scope) => text.split(' ').includes(scope));
}
