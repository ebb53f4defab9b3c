import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { selectAccountId } from '../ledger/account-queries.ts';
import type { AutoReloads } from './auto-reload.ts';
import type { PaymentProvider } from './providers/payment-provider.ts';
import { dropCard } from './reload-procedures.ts';

/** The card that an owner saved for auto-reload. */
export type Cards = {
  /**
   * Turns auto-reload off and removes the card at the provider. Resolves to false if there is none. Rejects if the provider does not
   * answer; auto-reload is then off, and the removal can be retried.
   */
  remove(keyId: string): Promise<boolean>;
};

export function createCards(deps: {
  ledgerStore: LedgerStore;
  provider: Pick<PaymentProvider, 'removeCard'>;
  autoReloads: Pick<AutoReloads, 'configure'>;
}): Cards {
  const { ledgerStore, provider, autoReloads } = deps;
  return {
    async remove(keyId) {
      const account = await ledgerStore.db
        .selectFrom('account')
        .select('card')
        .where('key_id', '=', selectAccountId(ledgerStore.db, keyId))
        .executeTakeFirst();
      const card = account?.card ?? null;
      if (card === null) return false;
      await autoReloads.configure(keyId, { enabled: false }, { by: 'owner' });
      await provider.removeCard(card);
      await ledgerStore.run(dropCard, { keyId, card });
      return true;
    },
  };
}
