import { defineProcedure, readRows, type Steps } from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { lockAccount } from '../ledger/account-queries.ts';
import { assertSome } from '../ledger/credits.ts';
import { CENTS_PER_USD, type PackName, RELOAD } from '../ledger/prices.ts';

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

const here = resolveThreadModule('billing/payments/reload-procedures').href;

type ConfigureResult =
  | { kind: 'changed' }
  | { kind: 'no card' }
  /** The saved card belongs to somebody other than the payer. */
  | { kind: 'card of another' }
  /** `capCentsMax` is the highest cap that a program may set. */
  | { kind: 'cap too high'; capCentsMax: number };

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
