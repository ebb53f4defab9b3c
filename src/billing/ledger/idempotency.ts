/**
 * Calls that may be repeated: a call with an `Idempotency-Key` is charged once within a day, and a repeated one gets the first response. The
 * rows are in the ledger store, because several servers share it and a restart must not forget that a call was charged. A response is
 * sealed with the caller's key, which is not stored, so that only its caller can read it.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import {
  defineProcedure,
  type LedgerStore,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { createSealedValues } from '../../platform/store/shared/sealed-values.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';

const here = resolveThreadModule('billing/ledger/idempotency').href;

/** Maximum bytes of all kept responses; beyond it the oldest are dropped, but not the fact that their calls were charged. */
const RESPONSE_BYTES_MAX = 500_000_000;
/** Maximum rows, and rows deleted at a time. */
const ROWS_MAX = 1_000_000;
const ROWS_AT_ONCE = 500;

/** A call as its caller identifies it. */
export type RepeatableCall = {
  /** The key and its owner: two owners may choose the same key. */
  owner: string;
  key: string;
  /** Everything that makes two calls the same: path, query and body. */
  content: readonly (string | Uint8Array)[];
  /** Identifies this attempt. */
  attempt: string;
  /** Milliseconds after which an attempt that neither ended nor failed counts as lost with its process. */
  lostAfterMs: number;
};

/** An attempt that has begun. */
export type Attempt = {
  /** Keeps the response for repeated calls; null: only the fact that the call was done. */
  finish(response: unknown): Promise<void>;
  /** Makes the key free again, because the call failed and cost nothing. */
  release(): Promise<void>;
};

/**
 * `begun`: the caller may run the call. `done`: it was done before; `response` is null if it was not kept. `under way`: another attempt
 * has not ended. `other call`: the key belongs to a call with other content.
 */
type BeginResult = { outcome: 'begun'; attempt: Attempt } | { outcome: 'done'; response: unknown } | Unusable;

type Unusable = { outcome: 'under way' } | { outcome: 'other call' };

export type Idempotency = {
  begin(call: RepeatableCall): Promise<BeginResult>;
  /** Drops all kept responses, because pages in them were forgotten. */
  dropResponses(): Promise<void>;
  /** Deletes rows that are a day old, and responses beyond the bound. */
  trim(): Promise<void>;
};

export function createIdempotency({
  ledgerStore,
  clock,
  responseBytesMax = RESPONSE_BYTES_MAX,
  rowsMax = ROWS_MAX,
}: {
  ledgerStore: Pick<LedgerStore, 'run'>;
  clock: Clock;
  responseBytesMax?: number;
  rowsMax?: number;
}): Idempotency {
  return {
    async begin({ owner, key, content, attempt, lostAfterMs }) {
      const sealed = createSealedValues(JSON.stringify([owner, key]));
      const id = sealed.keyOf('call', owner);
      const now = clock.now();
      const stored = await ledgerStore.run(beginCall, {
        id,
        fingerprint: computeFingerprint(content),
        attempt,
        now,
        lostAt: now + lostAfterMs,
        expiresAt: now + DAY_MS,
      });
      if (stored.outcome === 'done')
        return {
          outcome: 'done',
          response: stored.response && sealed.open(id, Buffer.from(stored.response)),
        };
      if (stored.outcome !== 'begun') return stored;
      return {
        outcome: 'begun',
        attempt: {
          finish: (response) =>
            ledgerStore.run(finishCall, {
              id,
              attempt,
              response: response === null ? null : sealed.seal(id, response),
            }),
          release: () => ledgerStore.run(releaseCall, { id, attempt }),
        },
      };
    },
    dropResponses: () => ledgerStore.run(dropResponses, null),
    async trim() {
      const now = clock.now();
      while ((await ledgerStore.run(trimCalls, { now, rowsMax, responseBytesMax })) === ROWS_AT_ONCE);
    },
  };
}

function computeFingerprint(content: RepeatableCall['content']): string {
  const hash = createHash('sha256');
  for (const part of content) hash.update(createHash('sha256').update(part).digest());
  return hash.digest('base64url');
}

type BeginArgs = {
  id: string;
  fingerprint: string;
  attempt: string;
  now: number;
  lostAt: number;
  expiresAt: number;
};
type StoredBeginning = Unusable | { outcome: 'begun' } | { outcome: 'done'; response: Uint8Array | null };

/** Begins a call unless its key is in use. A single statement decides, so that of two attempts only one begins. */
export const beginCall = defineProcedure(
  here,
  'beginCall',
  { durability: 'kept' },
  function* (
    { db },
    { id, fingerprint, attempt, now, lostAt, expiresAt }: BeginArgs,
  ): Steps<StoredBeginning> {
    const row = { fingerprint, attempt, lost_at: lostAt, response: null, bytes: 0, expires_at: expiresAt };
    const begun = yield* readFirst(
      db
        .insertInto('idempotent_call')
        .values({ id, ...row })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(row)
            .where(
              sql<boolean>`idempotent_call.expires_at <= ${now} or coalesce(idempotent_call.lost_at <= ${now}, false)`,
            ),
        )
        .returning('id'),
    );
    if (begun !== null) return { outcome: 'begun' };
    const stored = yield* readFirst(
      db.selectFrom('idempotent_call').select(['fingerprint', 'lost_at', 'response']).where('id', '=', id),
    );
    // Released in between: the caller repeats the call in a moment.
    if (stored === null) return { outcome: 'under way' };
    if (stored.fingerprint !== fingerprint) return { outcome: 'other call' };
    return stored.lost_at === null
      ? { outcome: 'done', response: stored.response }
      : { outcome: 'under way' };
  },
);

type FinishArgs = { id: string; attempt: string; response: Uint8Array | null };

export const finishCall = defineProcedure(
  here,
  'finishCall',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { id, attempt, response }: FinishArgs): Steps<void> {
    yield* readRows(
      db
        .updateTable('idempotent_call')
        .set({ lost_at: null, response, bytes: response?.length ?? 0 })
        .where('id', '=', id)
        .where('attempt', '=', attempt),
    );
  },
);

export const releaseCall = defineProcedure(
  here,
  'releaseCall',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { id, attempt }: { id: string; attempt: string }): Steps<void> {
    yield* readRows(db.deleteFrom('idempotent_call').where('id', '=', id).where('attempt', '=', attempt));
  },
);

export const dropResponses = defineProcedure(
  here,
  'dropResponses',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, _: null): Steps<void> {
    yield* readRows(
      db.updateTable('idempotent_call').set({ response: null, bytes: 0 }).where('bytes', '>', 0),
    );
  },
);

type TrimArgs = { now: number; rowsMax: number; responseBytesMax: number };

/** Deletes old rows and drops the oldest responses beyond the bound; returns the number of deleted rows. */
export const trimCalls = defineProcedure(
  here,
  'trimCalls',
  { durability: 'kept' },
  function* ({ db }, { now, rowsMax, responseBytesMax }: TrimArgs): Steps<number> {
    const beyond = db
      .selectFrom('idempotent_call')
      .select('expires_at')
      .orderBy('expires_at', 'desc')
      .offset(rowsMax)
      .limit(1);
    const last = (yield* readFirst(beyond))?.expires_at ?? now;
    const old = db
      .selectFrom('idempotent_call')
      .select('id')
      .where('expires_at', '<=', Math.max(now, last))
      .limit(ROWS_AT_ONCE);
    const deleted = yield* readRows(db.deleteFrom('idempotent_call').where('id', 'in', old).returning('id'));
    yield* readRows({
      compile: () =>
        sql`update idempotent_call set response = null, bytes = 0 where bytes > 0 and expires_at <= (
          select max(expires_at) from (
            select expires_at, sum(bytes) over (order by expires_at desc, id) as total from idempotent_call where bytes > 0
          ) as newest where total > ${responseBytesMax})`.compile(db),
    });
    return deleted.length;
  },
);
