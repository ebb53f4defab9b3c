import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { toUtcMonth } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { selectAccountId } from '../ledger/account-queries.ts';
import type { PackName } from '../ledger/prices.ts';
import type { CardSummary } from './providers/payment-provider.ts';
import { type AutoReloadChange, type ChangeAuthor, configureReload } from './reload-procedures.ts';

/** The auto-reload settings of a key, with this month's spending and the last error. */
export type AutoReload = {
  enabled: boolean;
  threshold: number;
  pack: PackName;
  capCents: number;
  spentThisMonthCents: number;
  lastError: string | null;
  hasCard: boolean;
  /** Brand and last digits of the saved card; null if there is none, or if it was saved before these were stored. */
  card: CardSummary | null;
};

export type AutoReloads = {
  of(keyId: string): Promise<AutoReload>;
  /**
   * Throws `Failure('no_payment_method')` if auto-reload would be on without a saved card, and `CapTooHigh` if a program sets
   * a cap above the owner's; `Failure('forbidden')` if a payer would change what another's card pays for.
   */
  configure(keyId: string, change: AutoReloadChange, by: ChangeAuthor): Promise<AutoReload>;
};

/** Thrown when a program sets a cap above `capCentsMax`; only the key's owner can raise it, in a browser. */
export class CapTooHigh extends Error {
  override name = 'CapTooHigh';
  readonly capCentsMax: number;

  constructor(capCentsMax: number) {
    super(`the cap is at most ${capCentsMax} cents`);
    this.capCentsMax = capCentsMax;
  }
}

export function createAutoReloads({
  ledgerStore,
  clock,
}: {
  ledgerStore: LedgerStore;
  clock: Clock;
}): AutoReloads {
  const readAutoReload = async (keyId: string): Promise<AutoReload> => {
    const account = await ledgerStore.db
      .selectFrom('account')
      .selectAll()
      .where('key_id', '=', selectAccountId(ledgerStore.db, keyId))
      .executeTakeFirstOrThrow();
    const isThisMonth = account.reload_month === toUtcMonth(clock.now());
    return {
      enabled: account.reload_enabled === 1,
      threshold: account.reload_threshold,
      pack: account.reload_pack,
      capCents: account.reload_cap_cents,
      spentThisMonthCents: isThisMonth ? account.reload_spent_cents : 0,
      lastError: account.reload_error,
      hasCard: account.card !== null,
      card: toCardSummary(account),
    };
  };
  return {
    of: readAutoReload,
    async configure(keyId, change, changed) {
      const outcome = await ledgerStore.run(configureReload, { keyId, change, ...changed });
      if (outcome.kind === 'changed') return readAutoReload(keyId);
      if (outcome.kind === 'card of another')
        throw new Failure('forbidden', 'Auto-reload of this key is set by its owner, on the account page.');
      if (outcome.kind === 'cap too high') throw new CapTooHigh(outcome.capCentsMax);
      const { enabled: _, ...reload } = change;
      throw new Failure('no_payment_method', 'The key has no saved card.', { keyId, reload });
    },
  };
}

function toCardSummary({ card, card_brand: brand, card_last4: last4 }: CardColumns): CardSummary | null {
  return card === null || brand === null || last4 === null ? null : { brand, last4 };
}

type CardColumns = Record<'card' | 'card_brand' | 'card_last4', string | null>;
