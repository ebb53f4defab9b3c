/**
 * Checkouts: a buyer opens a payment page for a pack, pays at the provider, and gets a new key or credits on an existing one.
 * Fulfilment is idempotent, because the webhook, the success page and the reconciler may all trigger it. Auto-reload is `purchases.ts`.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { CheckoutTable } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { generateKey } from '../keys/known-keys.ts';
import { CENTS_PER_USD, PACKS, type PackName } from '../ledger/prices.ts';
import type { AutoReload, AutoReloadChange, AutoReloads, ChangeAuthor } from './auto-reload.ts';
import {
  createCheckout,
  fulfilCheckout,
  recordCheckoutOpened,
  recordCheckoutState,
  showKey,
} from './checkout-procedures.ts';
import { type PaymentProvider, PaymentThrottled, PaymentUncertain } from './providers/payment-provider.ts';

type Checkout = Selectable<CheckoutTable>;

type CheckoutDeps = {
  ledgerStore: LedgerStore;
  provider: PaymentProvider;
  autoReloads: AutoReloads;
  sealing: Sealing;
  clock: Clock;
  events: Events;
  /** Base URL of the pages, without a trailing slash. */
  siteUrl(): string;
};

/** Time for which a new key stays visible after its first display, for buyers who close the page too early. */
export const SHOWN_MS = 900_000;
/** Length of the secret that identifies the buyer of a checkout. */
export const NONCE_BYTES = 24;
const CURRENCY = 'usd';

/** Checkouts for the pages, with fulfilment for webhooks and the reconciler. */
export type FulfillingCheckouts = Checkouts & {
  /** Credits the checkout if the provider reports it as paid. Resolves to its state, or null if it is unknown. */
  fulfil(providerId: string): Promise<Checkout['state'] | null>;
};

export function createCheckouts(deps: CheckoutDeps): FulfillingCheckouts {
  const { ledgerStore, autoReloads } = deps;
  return {
    open: (wanted) => openCheckout(deps, wanted),
    async view(credentials) {
      const known = await findBuyersCheckout(ledgerStore, credentials);
      if (known === null) return { kind: 'unknown' };
      const state =
        known.state === 'fulfilled' ? known.state : await fulfilIfKnown(deps, credentials.checkoutId);
      if (state === 'expired') return { kind: 'expired' };
      if (state !== 'fulfilled') return { kind: 'pending' };
      return buildFulfilledView(deps, (await findByProviderId(ledgerStore, credentials.checkoutId)) ?? known);
    },
    async configure(credentials, change) {
      const checkout = await findBuyersCheckout(ledgerStore, credentials);
      if (checkout === null || checkout.key_id === null) return null;
      return autoReloads.configure(checkout.key_id, change, resolveChangeAuthor(checkout));
    },
    fulfil: (providerId) => fulfil(deps, providerId),
  };
}

async function openCheckout(deps: CheckoutDeps, wanted: CheckoutRequest): Promise<{ url: string }> {
  const { ledgerStore, provider, clock, siteUrl } = deps;
  const { priceUsd, credits } = PACKS[wanted.pack];
  const cents = priceUsd * CENTS_PER_USD;
  const id = `co_${randomBytes(12).toString('hex')}`;
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  await ledgerStore.run(createCheckout, {
    id,
    pack: wanted.pack,
    cents,
    credits,
    top_up_key: wanted.topUp,
    reload_threshold: wanted.autoReload?.threshold ?? null,
    reload_pack: wanted.autoReload?.pack ?? null,
    reload_cap_cents: wanted.autoReload?.capCents ?? null,
    nonce_hash: hashNonce(nonce),
    state: 'created',
    created_at: clock.now(),
  });
  const page = await provider
    .openCheckout({
      reference: id,
      pack: wanted.pack,
      cents,
      credits,
      saveCard: wanted.autoReload === null ? null : { terms: formatReloadTerms(wanted.autoReload) },
      successUrl: `${siteUrl()}/success?session_id={CHECKOUT_ID}&n=${nonce}`,
      cancelUrl: `${siteUrl()}/`,
    })
    .catch((cause: unknown) => {
      throw new Failure(
        'payment_unavailable',
        'The payment page could not be opened; try again in a moment.',
        {
          cause,
        },
      );
    });
  await ledgerStore.run(recordCheckoutOpened, { id, providerId: page.id });
  return { url: page.url };
}

function formatReloadTerms({
  threshold,
  pack,
  capCents,
}: NonNullable<CheckoutRequest['autoReload']>): string {
  const { priceUsd, credits } = PACKS[pack];
  const formatNumber = (value: number): string => value.toLocaleString('en');
  return `Your card will be saved. Whenever fewer than ${formatNumber(threshold)} credits remain, it will be charged ${priceUsd} USD for ${formatNumber(credits)} credits, at most ${formatNumber(capCents / CENTS_PER_USD)} USD per calendar month (UTC). You can turn this off at any time.`;
}

/** Asks the provider and credits a paid checkout once. Used by the webhook, the success page and the reconciler. */
async function fulfil(deps: CheckoutDeps, providerId: string): Promise<Checkout['state'] | null> {
  const { ledgerStore, provider, sealing, clock, events } = deps;
  const paid = await provider.getCheckout(providerId);
  const checkout =
    (await findByProviderId(ledgerStore, providerId)) ??
    // The process may have died between opening the page and storing its id.
    (paid.reference === null ? null : await findById(ledgerStore, paid.reference));
  if (checkout === null) return null;
  if (checkout.provider_id === null)
    await ledgerStore.run(recordCheckoutOpened, { id: checkout.id, providerId: paid.id });
  if (checkout.state === 'fulfilled') return 'fulfilled';
  if (paid.reference !== checkout.id || paid.currency !== CURRENCY || paid.cents !== checkout.cents) {
    events.paymentMismatch({ checkoutId: checkout.id });
    return checkout.state;
  }
  if (paid.state === 'awaiting' || paid.state === 'expired') {
    await ledgerStore.run(recordCheckoutState, { id: checkout.id, state: paid.state });
    return paid.state;
  }
  if (paid.state !== 'paid') return checkout.state;
  const { apiKey, record } = generateKey({ kind: 'paid', label: null, network: null, at: clock.now() });
  const { now } = await ledgerStore.run(fulfilCheckout, {
    id: checkout.id,
    key: record,
    sealedKey: sealing.seal(apiKey),
    charge: paid.charge,
    customer: paid.customer,
    card: paid.card,
    shown: paid.paidBy,
    at: clock.now(),
  });
  if (now) events.packSold({ pack: checkout.pack, how: 'checkout' });
  return 'fulfilled';
}

/** Like `fulfil`, but returns null while the provider does not answer: the buyer has to wait. */
async function fulfilIfKnown(deps: CheckoutDeps, providerId: string): Promise<Checkout['state'] | null> {
  try {
    return await fulfil(deps, providerId);
  } catch (error) {
    if (error instanceof PaymentUncertain || error instanceof PaymentThrottled) return null;
    throw error;
  }
}

async function buildFulfilledView(deps: CheckoutDeps, checkout: Checkout): Promise<CheckoutView> {
  const { ledgerStore, autoReloads, sealing, clock } = deps;
  const keyId = checkout.key_id;
  if (keyId === null) return { kind: 'pending' };
  const now = clock.now();
  const sealed =
    checkout.sealed_key === null
      ? null
      : await ledgerStore.run(showKey, { id: checkout.id, now, until: now + SHOWN_MS });
  const { hint } = await ledgerStore.db
    .selectFrom('api_key')
    .select('hint')
    .where('id', '=', checkout.top_up_key ?? keyId)
    .executeTakeFirstOrThrow();
  return {
    kind: 'fulfilled',
    pack: checkout.pack,
    credits: checkout.credits,
    apiKey: sealed === null ? null : sealing.unseal(sealed),
    toppedUp: checkout.top_up_key !== null,
    hint,
    autoReload: (await canSetReload(ledgerStore, checkout)) ? await autoReloads.of(keyId) : null,
  };
}

/** Returns the role of a buyer. Topping up a key does not make its buyer the owner: anyone may add credits to any key. */
function resolveChangeAuthor({ id, top_up_key }: Checkout): ChangeAuthor {
  return top_up_key === null ? { by: 'owner' } : { by: 'payer', checkout: id };
}

/** Returns true if the buyer may set auto-reload: the checkout created the key, or saved the card that pays for it. */
async function canSetReload({ db }: LedgerStore, checkout: Checkout): Promise<boolean> {
  if (checkout.top_up_key === null) return true;
  const saved = await db
    .selectFrom('account')
    .select('key_id')
    .where('key_id', '=', checkout.key_id)
    .where('card_checkout', '=', checkout.id)
    .executeTakeFirst();
  return saved !== undefined;
}

/** Finds the checkout of the credentials; null if they do not match one. */
async function findBuyersCheckout(
  ledgerStore: LedgerStore,
  { checkoutId, nonce }: CheckoutCredentials,
): Promise<Checkout | null> {
  const checkout = await findByProviderId(ledgerStore, checkoutId);
  if (checkout === null) return null;
  const [expected, actual] = [Buffer.from(checkout.nonce_hash), Buffer.from(hashNonce(nonce))];
  return timingSafeEqual(expected, actual) ? checkout : null;
}

async function findByProviderId({ db }: LedgerStore, id: string): Promise<Checkout | null> {
  return (
    (await db.selectFrom('checkout').selectAll().where('provider_id', '=', id).executeTakeFirst()) ?? null
  );
}

async function findById({ db }: LedgerStore, id: string): Promise<Checkout | null> {
  return (await db.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Hashes the buyer's secret for storage. */
export function hashNonce(nonce: string): string {
  return createHash('sha256').update(nonce).digest('hex');
}

/** Validated parameters of a purchase link. */
export type CheckoutRequest = {
  pack: PackName;
  /** Adds the credits to this key instead of issuing a new one. */
  topUp: string | null;
  autoReload: { threshold: number; pack: PackName; capCents: number } | null;
};

/** Proof that the caller is the buyer, from the URL of the success page: the provider's id of the checkout, and a secret. */
export type CheckoutCredentials = { checkoutId: string; nonce: string };

export type CheckoutView =
  /** Not paid yet; poll again in a moment. */
  | { kind: 'pending' }
  | { kind: 'expired' }
  | { kind: 'unknown' }
  | {
      kind: 'fulfilled';
      pack: PackName;
      credits: number;
      /** Null if the credits went to an existing key, or if the new key is no longer shown. */
      apiKey: string | null;
      toppedUp: boolean;
      hint: string;
      /** Null if the buyer topped up an existing key whose auto-reload is paid by another card, or by none. */
      autoReload: AutoReload | null;
    };

export type Checkouts = {
  /** Opens a payment page; resolves to its address. */
  open(wanted: CheckoutRequest): Promise<{ url: string }>;
  /** Returns the state of a checkout, and credits it if it is paid. The new key stays visible for a while after the first view. */
  view(credentials: CheckoutCredentials): Promise<CheckoutView>;
  /**
   * Changes auto-reload as the owner, whose cap may exceed the API's maximum. Null if the credentials are wrong. Throws
   * `Failure('forbidden')` where `view` shows no auto-reload.
   */
  configure(credentials: CheckoutCredentials, change: AutoReloadChange): Promise<AutoReload | null>;
};
