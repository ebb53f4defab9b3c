import assert from 'node:assert/strict';
import type { Billing } from '../../src/app/compose-billing.ts';
import type { Operation, ReferenceLedger } from './reference-ledger.ts';

/** Carries out an operation on the real ledger. */
export async function ask({ ledger, keys }: Billing, asked: Operation): Promise<unknown> {
  switch (asked.kind) {
    case 'hold':
      return orRefused(await ledger.hold(asked));
    case 'holdUpTo':
      return orRefused(await ledger.hold({ ...asked, least: 1 }));
    case 'settle':
      return (await ledger.settle(asked))?.available ?? null;
    case 'refund':
      return ledger.refund(asked);
    case 'expire':
      return ledger.expire(asked.now);
    case 'grant':
      return keys.grant(asked);
    case 'revoke':
      return keys.revoke(asked.keyId);
  }
}

/** PostgreSQL refuses with what the key had when the statement began, which other calls at the same time may have taken since. */
function orRefused(placed: { amount: number; available: number }): unknown {
  return placed.amount === 0 ? 'refused' : placed;
}

/** The stored state of some keys, in the reference's terms. */
type Kept = {
  accounts: { keyId: string; available: number; held: number; version: number; used: number }[];
  holds: { id: string; keyId: string; amount: number; used: number; state: string }[];
  moves: { keyId: string; version: number; kind: string; ref: string; delta: number; balance: number }[];
};

export async function readKept({ ledgerStore }: Billing, keyIds: string[]): Promise<Kept> {
  const kept = await ledgerStore.snapshot(async (db) => {
    const accounts = await db
      .selectFrom('account')
      .select(['key_id as keyId', 'available', 'held', 'version'])
      .where('key_id', 'in', keyIds)
      .orderBy('key_id')
      .execute();
    const days = await db.selectFrom('usage_day').selectAll().where('key_id', 'in', keyIds).execute();
    const usedBy = (keyId: string): number =>
      days.filter(({ key_id }) => key_id === keyId).reduce((sum, { credits }) => sum + credits, 0);
    return {
      accounts: accounts.map((account) => ({ ...account, used: usedBy(account.keyId) })),
      holds: await db
        .selectFrom('hold')
        .select(['id', 'key_id as keyId', 'amount', 'used', 'state'])
        .where('key_id', 'in', keyIds)
        .orderBy('id')
        .execute(),
      moves: await db
        .selectFrom('entry')
        .select(['key_id as keyId', 'version', 'kind', 'ref', 'delta', 'balance'])
        .where('key_id', 'in', keyIds)
        .orderBy('key_id')
        .orderBy('version')
        .execute(),
    };
  });
  // Rows of SQLite have no prototype.
  return structuredClone(kept);
}

/** The state that the store must have, by the reference: entries numbered from 1, with the running balance (covers I1 to I4). */
export function keptBy({ accounts, holds }: ReferenceLedger): Kept {
  const sorted = [...accounts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    accounts: sorted.map(([keyId, { available, held, moves }]) => ({
      keyId,
      available,
      held,
      version: moves.length,
      used: 0 - moves.filter(({ kind }) => kind !== 'grant').reduce((sum, { delta }) => sum + delta, 0),
    })),
    holds: [...holds]
      .map(([id, { keyId, amount, used, state }]) => ({ id, keyId, amount, used, state }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    moves: sorted.flatMap(([keyId, { moves }]) => {
      let balance = 0;
      return moves.map((made, place) => {
        balance += made.delta;
        return { keyId, version: place + 1, ...made, balance };
      });
    }),
  };
}

/** Checks that need no reference: nothing is negative, and credits held equal the sum of open holds (I2, I3). */
export function assertSound({ accounts, holds }: Kept): void {
  for (const { keyId, available, held } of accounts) {
    assert.ok(available >= 0 && held >= 0, `${keyId}: ${available} available, ${held} held`);
    const open = holds.filter((hold) => hold.keyId === keyId && hold.state === 'held');
    assert.equal(
      held,
      open.reduce((sum, { amount }) => sum + amount, 0),
      `${keyId}: credits held differ from its open holds`,
    );
  }
}
