/** An operation on the ledger. Credits are whole numbers, instants are in milliseconds. */
export type Operation =
  | { kind: 'hold' | 'holdUpTo'; id: string; keyId: string; amount: number; expiresAt: number }
  | { kind: 'settle'; id: string; used: number; at: number }
  | { kind: 'refund'; id: string; at: number }
  | { kind: 'expire'; now: number }
  | { kind: 'grant'; keyId: string; credits: number; ref: string }
  | { kind: 'revoke'; keyId: string };

export type ReferenceAccount = { available: number; held: number; revoked: boolean; moves: Move[] };
export type Move = { kind: 'grant' | 'usage' | 'refund'; ref: string; delta: number };
export type ReferenceHold = {
  keyId: string;
  amount: number;
  used: number;
  state: 'held' | 'captured' | 'voided' | 'refunded';
  expiresAt: number;
};

/** The simplest ledger: no store, no concurrency, one operation after another. */
export type ReferenceLedger = {
  accounts: Map<string, ReferenceAccount>;
  holds: Map<string, ReferenceHold>;
  grants: Map<string, { keyId: string; credits: number }>;
};

export function referenceLedger(accounts: { keyId: string; moves: Move[] }[]): ReferenceLedger {
  const opened = accounts.map(({ keyId, moves }): [string, ReferenceAccount] => [
    keyId,
    {
      available: moves.reduce((sum, { delta }) => sum + delta, 0),
      held: 0,
      revoked: false,
      moves: [...moves],
    },
  ]);
  return { accounts: new Map(opened), holds: new Map(), grants: new Map() };
}

/** Carries out one operation. Returns the result that the real ledger must give. */
export function carryOut({ accounts, holds, grants }: ReferenceLedger, asked: Operation): unknown {
  switch (asked.kind) {
    case 'hold': {
      const account = of(accounts, asked.keyId);
      if (account.revoked || account.available < asked.amount) return 'refused';
      place(account, holds, asked);
      return { amount: asked.amount, available: account.available, disputed: 0, purchase: null };
    }
    case 'holdUpTo': {
      const account = of(accounts, asked.keyId);
      const amount = Math.min(asked.amount, account.available);
      if (account.revoked || amount === 0) return 'refused';
      place(account, holds, { ...asked, amount });
      return { amount, available: account.available, disputed: 0, purchase: null };
    }
    case 'settle':
      return end(accounts, holds.get(asked.id), asked);
    case 'refund': {
      const hold = holds.get(asked.id);
      if (hold?.state === 'held')
        return end(accounts, hold, { ...asked, used: 0 }) === null ? 0 : hold.amount;
      if (hold?.state !== 'captured') return 0;
      hold.state = 'refunded';
      move(of(accounts, hold.keyId), { kind: 'refund', ref: asked.id, delta: hold.used });
      return hold.used;
    }
    case 'expire': {
      const expired = [...holds].filter(
        ([, { state, expiresAt }]) => state === 'held' && expiresAt < asked.now,
      );
      for (const [id, hold] of expired) end(accounts, hold, { id, used: 0 });
      return expired.length;
    }
    case 'grant': {
      const account = of(accounts, asked.keyId);
      const before = grants.get(asked.ref);
      if (before !== undefined) return { kind: 'granted before', available: account.available, before };
      grants.set(asked.ref, { keyId: asked.keyId, credits: asked.credits });
      move(account, { kind: 'grant', ref: asked.ref, delta: asked.credits });
      return { kind: 'granted', available: account.available };
    }
    case 'revoke':
      of(accounts, asked.keyId).revoked = true;
      return true;
  }
}

type Wanted = { id: string; keyId: string; amount: number; expiresAt: number };

function place(account: ReferenceAccount, holds: ReferenceLedger['holds'], wanted: Wanted): void {
  account.available -= wanted.amount;
  account.held += wanted.amount;
  const { keyId, amount, expiresAt } = wanted;
  holds.set(wanted.id, { keyId, amount, expiresAt, used: 0, state: 'held' });
}

function end(
  accounts: ReferenceLedger['accounts'],
  hold: ReferenceHold | undefined,
  { id, used }: { id: string; used: number },
): number | null {
  if (hold?.state !== 'held') return null;
  hold.state = used > 0 ? 'captured' : 'voided';
  hold.used = used;
  const account = of(accounts, hold.keyId);
  account.held -= hold.amount;
  account.available += hold.amount;
  if (used > 0) move(account, { kind: 'usage', ref: id, delta: -used });
  return account.available;
}

function move(account: ReferenceAccount, made: Move): void {
  account.available += made.delta;
  account.moves.push(made);
}

function of(accounts: ReferenceLedger['accounts'], keyId: string): ReferenceAccount {
  const account = accounts.get(keyId);
  if (account === undefined) throw new Error(`no account ${keyId}`);
  return account;
}
