import { type Insertable, type Selectable, sql } from 'kysely';
import type { ApiKeyTable, CheckoutTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { addKey, rotateKey } from '../keys/key-procedures.ts';
import { addPurchasedCredits, freezeOrThaw, lockAccount } from '../ledger/account-queries.ts';
import { assertSome } from '../ledger/prices.ts';
import type { CardSummary } from './providers/payment-provider.ts';

const here = resolveThreadModule('billing/payments/checkout-procedures').href;

export const createCheckout = defineProcedure(
  here,
  'createCheckout',
  { durability: 'flushed' },
  function* ({ db }, checkout: Insertable<CheckoutTable>): Steps<void> {
    assertSome(checkout.cents, 'a checkout costs at least one whole cent');
    assertSome(checkout.credits, 'a checkout sells at least one whole credit');
    yield* readRows(db.insertInto('checkout').values(checkout));
  },
);

/** Stores the provider's id of a checkout. */
export const recordCheckoutOpened = defineProcedure(
  here,
  'recordCheckoutOpened',
  { durability: 'flushed' },
  function* ({ db }, { id, providerId }: { id: string; providerId: string }): Steps<void> {
    yield* readRows(
      db
        .updateTable('checkout')
        .set({ provider_id: providerId, state: 'open' })
        .where('id', '=', id)
        .where('state', '=', 'created'),
    );
  },
);

/** Changes the state of a checkout that is not fulfilled. */
export const recordCheckoutState = defineProcedure(
  here,
  'recordCheckoutState',
  { durability: 'kept' },
  function* ({ db }, { id, state }: { id: string; state: 'awaiting' | 'expired' }): Steps<void> {
    yield* readRows(
      db.updateTable('checkout').set({ state }).where('id', '=', id).where('state', '!=', 'fulfilled'),
    );
  },
);

type FulfilArgs = {
  id: string;
  /** The new key, in case the checkout does not top up an existing one. */
  key: Omit<ApiKeyTable, 'state'>;
  sealedKey: string;
  charge: string | null;
  customer: string | null;
  card: string | null;
  shown: CardSummary | null;
  at: number;
};

type FulfilmentResult = { keyId: string; now: boolean };

/** Credits a paid checkout once; idempotent. `now` says whether this call did it. */
export const fulfilCheckout = defineProcedure(
  here,
  'fulfilCheckout',
  { durability: 'flushed' },
  function* (ledgerStore, args: FulfilArgs): Steps<FulfilmentResult> {
    const { db } = ledgerStore;
    const checkout = yield* lockCheckout(ledgerStore, args.id);
    if (checkout.key_id !== null) return { keyId: checkout.key_id, now: false };
    // Credits for a further key go to its account.
    const keyId =
      checkout.top_up_key === null
        ? args.key.id
        : (yield* lockAccount(ledgerStore, checkout.top_up_key)).key_id;
    if (checkout.top_up_key === null) {
      yield* readRows(db.insertInto('api_key').values({ ...args.key, state: 'active' }));
      yield* readRows(db.insertInto('account').values({ key_id: keyId, available: 0, held: 0, version: 0 }));
    }
    yield* addPurchasedCredits(ledgerStore, {
      keyId,
      credits: checkout.credits,
      kind: 'purchase',
      ref: checkout.id,
      at: args.at,
    });
    yield* saveCard(ledgerStore, { keyId, checkout, args });
    yield* readRows(
      db
        .updateTable('checkout')
        .set({
          state: 'fulfilled',
          key_id: keyId,
          charge_id: args.charge,
          sealed_key: checkout.top_up_key === null ? args.sealedKey : null,
        })
        .where('id', '=', checkout.id),
    );
    yield* freezeOrThaw(ledgerStore, keyId);
    return { keyId, now: true };
  },
);

function* lockCheckout({ db, dialect }: LedgerQueries, id: string): Steps<Selectable<CheckoutTable>> {
  const stored = db.selectFrom('checkout').selectAll().where('id', '=', id);
  const locked = yield* readFirst(dialect === 'postgres' ? stored.forUpdate() : stored);
  if (locked === null) throw new Error(`there is no checkout ${id}`);
  return locked;
}

/** Turns auto-reload on if the buyer wanted it and the provider saved the card. */
function* saveCard(
  { db }: LedgerQueries,
  { keyId, checkout, args }: { keyId: string; checkout: Selectable<CheckoutTable>; args: FulfilArgs },
): Steps<void> {
  const { reload_threshold, reload_pack, reload_cap_cents } = checkout;
  if (args.card === null || args.customer === null) return;
  if (reload_threshold === null || reload_pack === null || reload_cap_cents === null) return;
  yield* readRows(
    db
      .updateTable('account')
      .set({
        customer: args.customer,
        card: args.card,
        card_brand: args.shown?.brand ?? null,
        card_last4: args.shown?.last4 ?? null,
        card_checkout: checkout.id,
        reload_enabled: 1,
        reload_error: null,
        reload_threshold,
        reload_pack,
        reload_cap_cents,
        reload_owner_cap_cents: reload_cap_cents,
      })
      .where('key_id', '=', keyId),
  );
}

/** Returns the sealed new key; the first call fixes how long it is shown. Null if it is no longer shown. */
export const showKey = defineProcedure(
  here,
  'showKey',
  { durability: 'kept' },
  function* (
    ledgerStore,
    { id, now, until }: { id: string; now: number; until: number },
  ): Steps<string | null> {
    const checkout = yield* lockCheckout(ledgerStore, id);
    if (checkout.sealed_key === null || (checkout.shown_until ?? until) < now) return null;
    yield* readRows(
      ledgerStore.db
        .updateTable('checkout')
        .set({ shown_until: checkout.shown_until ?? until })
        .where('id', '=', id),
    );
    return checkout.sealed_key;
  },
);

/** Wipes new keys whose display time has passed, or that were never collected. */
export const wipeShownKeys = defineProcedure(
  here,
  'wipeShownKeys',
  { durability: 'flushed' },
  function* ({ db }, { now, createdBefore }: { now: number; createdBefore: number }): Steps<void> {
    yield* readRows(
      db
        .updateTable('checkout')
        .set({ sealed_key: null })
        .where('sealed_key', 'is not', null)
        .where((is) => is.or([is('shown_until', '<', now), is('created_at', '<', createdBefore)])),
    );
  },
);

/** Counts an attempt to recover an account with a payment. Returns false if there have already been `most`. */
export const countRecovery = defineProcedure(
  here,
  'countRecovery',
  { durability: 'flushed', oneStatement: true },
  function* ({ db }, { id, most }: { id: string; most: number }): Steps<boolean> {
    const counted = yield* readFirst(
      db
        .updateTable('checkout')
        .set({ recovery_tries: sql<number>`recovery_tries + 1` })
        .where('id', '=', id)
        .where('recovery_tries', '<', most)
        .returning('id'),
    );
    return counted !== null;
  },
);

type RecoverArgs = {
  id: string;
  /** The new secret of the account's first key. */
  secret: { hash: string; hint: string };
  /** The key that is added instead if the first one is revoked. */
  further: Omit<ApiKeyTable, 'state'>;
  nonceHash: string;
};

/** Gives the key that a payment created a new secret; the old one stops working at once. Ends every session of its account. */
export const recoverKey = defineProcedure(
  here,
  'recoverKey',
  { durability: 'flushed' },
  function* (ledgerStore, args: RecoverArgs): Steps<{ keyId: string }> {
    const { db } = ledgerStore;
    const { id, key_id: first } = yield* lockCheckout(ledgerStore, args.id);
    if (first === null) throw new Error(`the checkout ${id} has no key`);
    const rotation = { keyId: first, ...args.secret, oldUntil: null, session: null };
    const rotated = yield* rotateKey.steps(ledgerStore, rotation);
    if (!rotated) yield* addKey.steps(ledgerStore, { of: first, key: omitKind(args.further) });
    else
      yield* readRows(
        db.updateTable('api_key').set({ manages: 1, expires_at: null }).where('id', '=', first),
      );
    yield* readRows(db.deleteFrom('session').where('key_id', '=', first));
    yield* readRows(
      db.updateTable('checkout').set({ nonce_hash: args.nonceHash, sealed_key: null }).where('id', '=', id),
    );
    return { keyId: rotated ? first : args.further.id };
  },
);

function omitKind({ kind: _, ...key }: RecoverArgs['further']) {
  return key;
}
