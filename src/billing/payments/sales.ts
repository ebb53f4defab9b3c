import type { DisputeColumn } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { selectAccountId } from '../ledger/account-queries.ts';
import type { PackName } from '../ledger/prices.ts';
import type { PaymentProvider } from './providers/payment-provider.ts';

/** A purchase by an owner, or an attempted one by auto-reload. */
export type Sale = {
  id: string;
  how: 'checkout' | 'auto-reload';
  at: number;
  pack: PackName;
  cents: number;
  credits: number;
  state: 'open' | 'paid' | 'failed';
  /** The provider's code for why a purchase failed or is still open. */
  error: string | null;
  /** Credits taken back after a refund or a dispute. */
  clawedBack: number;
  dispute: DisputeColumn;
};

/** The purchases of an account, with the provider's receipts. */
export type Sales = {
  /** Newest first. */
  of(keyId: string, most: number): Promise<Sale[]>;
  /** Returns the URL of the provider's receipt; null if the key's account has no such sale, or there is no receipt. */
  receiptOf(keyId: string, saleId: string): Promise<string | null>;
};

export function createSales(deps: {
  ledgerStore: LedgerStore;
  provider: Pick<PaymentProvider, 'receiptOf'>;
}): Sales {
  const { ledgerStore, provider } = deps;
  return {
    async of(keyId, most) {
      const [checkouts, purchases] = await Promise.all([
        listCheckouts(ledgerStore, keyId, most),
        listPurchases(ledgerStore, keyId, most),
      ]);
      return [...checkouts, ...purchases].toSorted((one, other) => other.at - one.at).slice(0, most);
    },
    async receiptOf(keyId, saleId) {
      const { db } = ledgerStore;
      const account = selectAccountId(db, keyId);
      const sale =
        (await db
          .selectFrom('checkout')
          .select('charge_id')
          .where('id', '=', saleId)
          .where('key_id', '=', account)
          .executeTakeFirst()) ??
        (await db
          .selectFrom('purchase')
          .select('charge_id')
          .where('id', '=', saleId)
          .where('key_id', '=', account)
          .executeTakeFirst());
      return sale?.charge_id == null ? null : provider.receiptOf(sale.charge_id);
    },
  };
}

const SOLD = ['id', 'pack', 'cents', 'credits', 'dispute', 'clawed_back', 'created_at', 'state'] as const;

async function listCheckouts({ db }: LedgerStore, keyId: string, most: number): Promise<Sale[]> {
  const rows = await db
    .selectFrom('checkout')
    .select(SOLD)
    .where('key_id', '=', selectAccountId(db, keyId))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ clawed_back: clawedBack, created_at: at, ...sold }) => ({
    ...sold,
    how: 'checkout',
    at,
    state: 'paid',
    error: null,
    clawedBack,
  }));
}

async function listPurchases({ db }: LedgerStore, keyId: string, most: number): Promise<Sale[]> {
  const rows = await db
    .selectFrom('purchase')
    .select(SOLD)
    .select('error')
    .where('key_id', '=', selectAccountId(db, keyId))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ clawed_back: clawedBack, created_at: at, state, ...sold }) => ({
    ...sold,
    how: 'auto-reload',
    at,
    clawedBack,
    state: state === 'succeeded' ? 'paid' : state === 'failed' ? 'failed' : 'open',
  }));
}
