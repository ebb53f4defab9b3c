import { Failure } from '../../contract/errors.ts';
import { type Clock, toUtcMonth } from '../../platform/clock.ts';
import {
  defineProcedure,
  type LedgerStore,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { lockAccount, selectAccountId } from '../ledger/account-queries.ts';
import { assertSome, CENTS_PER_USD, type PackName, RELOAD } from '../ledger/prices.ts';
import type { CardSummary, PaymentProvider } from './providers/payment-provider.ts';

const here = resolveThreadModule('billing/payments/auto-reload').href;

/**
 * Changes the given settings, unless auto-reload would be on without a card or pay with somebody else's, or a program sets a cap
 * above the owner's.
 */
export const configureReload = defineProcedure(
  here,
  'configureReload',
  { durability: 'flushed' },
  function* (
    ledgerStore,
    { keyId, change, ...changed }: ChangeAuthor & { keyId: string; change: AutoReloadChange },
  ): Steps<ConfigureResult> {
    const { enabled, threshold, pack, capCents } = change;
    if (threshold !== undefined) assertSome(threshold, 'a threshold is at least one whole credit');
    if (capCents !== undefined) assertSome(capCents, 'a cap is at least one whole cent');
    const account = yield* lockAccount(ledgerStore, keyId);
    if (changed.by === 'payer' && account.card_checkout !== changed.checkout)
      return { kind: 'card of another' };
    const { by } = changed;
    const capCentsMax = Math.min(
      account.reload_owner_cap_cents ?? Infinity,
      RELOAD.capUsdMax * CENTS_PER_USD,
    );
    if (by === 'program' && capCents !== undefined && capCents > capCentsMax)
      return { kind: 'cap too high', capCentsMax };
    if (enabled && account.card === null) return { kind: 'no card' };
    yield* readRows(
      ledgerStore.db
        .updateTable('account')
        .set({
          reload_enabled: enabled ? 1 : 0,
          ...(enabled ? { reload_error: null } : {}),
          ...(threshold === undefined ? {} : { reload_threshold: threshold }),
          ...(pack === undefined ? {} : { reload_pack: pack }),
          ...(capCents === undefined ? {} : { reload_cap_cents: capCents }),
          ...(capCents === undefined || by === 'program' ? {} : { reload_owner_cap_cents: capCents }),
        })
        .where('key_id', '=', account.key_id),
    );
    return { kind: 'changed' };
  },
);

/** Forgets a card that the provider no longer has, and turns auto-reload off. */
export const forgetCard = defineProcedure(
  here,
  'forgetCard',
  { durability: 'flushed' },
  function* ({ db }, { by, id }: { by: 'card' | 'customer'; id: string }): Steps<void> {
    yield* readRows(
      db
        .updateTable('account')
        .set({ ...NO_CARD, reload_error: 'the saved card was removed' })
        .where(by, '=', id),
    );
  },
);

const NO_CARD = {
  card: null,
  card_brand: null,
  card_last4: null,
  card_checkout: null,
  reload_enabled: 0,
};

/** Forgets the card that its owner removed. */
export const dropCard = defineProcedure(
  here,
  'dropCard',
  { durability: 'flushed' },
  function* (ledgerStore, { keyId, card }: { keyId: string; card: string }): Steps<void> {
    const account = yield* lockAccount(ledgerStore, keyId);
    // The owner may have saved another card meanwhile, or the provider's event may have arrived first.
    if (account.card !== null && account.card !== card) return;
    yield* readRows(
      ledgerStore.db
        .updateTable('account')
        .set({ ...NO_CARD, reload_error: null })
        .where('key_id', '=', account.key_id),
    );
  },
);

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

/** A change of the settings. Absent ones keep their values; `threshold` is in credits. */
export type AutoReloadChange = {
  enabled: boolean;
  threshold?: number | undefined;
  pack?: PackName | undefined;
  capCents?: number | undefined;
};

/**
 * The author of a change: the key's owner in a browser, a program through the API, or a payer who saved a card in a checkout for the
 * key and need not be its owner.
 */
export type ChangeAuthor = { by: 'owner' | 'program' } | { by: 'payer'; checkout: string };

type ConfigureResult =
  | { kind: 'changed' }
  | { kind: 'no card' }
  /** The saved card belongs to somebody other than the payer. */
  | { kind: 'card of another' }
  /** `capCentsMax` is the highest cap that a program may set. */
  | { kind: 'cap too high'; capCentsMax: number };

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
