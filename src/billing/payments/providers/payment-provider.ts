import type { PackName } from '../../ledger/prices.ts';

/**
 * The contract of a payment provider. Requests that may be repeated carry our reference and take effect once. Money is in
 * whole US cents.
 */
export type PaymentProvider = {
  name: 'stripe' | 'sandbox' | 'none';
  /** Opens a hosted payment page for one pack. Repeating a reference returns the same page. */
  openCheckout(wanted: CheckoutOrder): Promise<{ id: string; url: string }>;
  getCheckout(id: string): Promise<CheckoutState>;
  /** Prepares a charge of a saved card; no money moves yet. Repeating a reference returns the same charge. */
  prepareCharge(wanted: ChargeOrder): Promise<ChargeState>;
  /** Charges the saved card without its owner present. A charge succeeds at most once, however often it is confirmed. */
  confirmCharge(id: string, attempt: number): Promise<ChargeState>;
  getCharge(id: string): Promise<ChargeState>;
  /** Cancels a charge that will not be retried; leaves one that has succeeded. */
  cancelCharge(id: string): Promise<ChargeState>;
  /** Finds a charge that was prepared but whose id was lost; null if there is none. */
  findCharge(wanted: { reference: string; customer: string; since: number }): Promise<ChargeState | null>;
  /** Removes a saved card permanently, so that it can never be charged again. Does nothing if it is already gone. */
  removeCard(card: string): Promise<void>;
  /** Returns the URL of the provider's receipt for a charge; null if it has none. */
  receiptOf(charge: string): Promise<string | null>;
  /** Verifies a delivery's signature and reads its event. Throws `BadSignature`. */
  readEvent(delivery: { body: Uint8Array; signature: string | undefined; now: number }): PaymentEvent;
  /** Lists events since an instant, in case deliveries were lost; newest first, at most EVENTS_MAX. */
  listEvents(since: number): Promise<PaymentEvent[]>;
};

export const EVENTS_MAX = 1_000;

export type CheckoutOrder = {
  /** Our checkout's id. */
  reference: string;
  pack: PackName;
  cents: number;
  credits: number;
  /** Saves the card for auto-reload; the buyer sees the terms before paying. */
  saveCard: { terms: string } | null;
  /** URL to which the browser returns after payment; `{CHECKOUT_ID}` in it is replaced by the provider's id. */
  successUrl: string;
  cancelUrl: string;
};

export type CheckoutState = {
  id: string;
  reference: string | null;
  /** `awaiting`: the buyer has finished, but the money has not arrived. */
  state: 'open' | 'awaiting' | 'paid' | 'expired';
  cents: number;
  /** ISO 4217, lower case. */
  currency: string;
  /** Known once paid; the card only if it was to be saved. */
  charge: string | null;
  customer: string | null;
  card: string | null;
  /** Brand and last digits of the card that paid; null if it was not a card, or nothing is paid yet. */
  paidBy: CardSummary | null;
};

/** The displayable part of a card, such as `visa` and `4242`. */
export type CardSummary = { brand: string; last4: string };

export type ChargeOrder = { reference: string; cents: number; customer: string; card: string };

export type ChargeState = {
  id: string;
  reference: string | null;
  /**
   * `prepared` can be confirmed; `declined` (the card was refused) lasts until the charge is canceled; `processing` ends by
   * itself; the others are final, except for refunds and disputes.
   */
  state: 'prepared' | 'processing' | 'succeeded' | 'declined' | 'canceled';
  /** The provider's code of a declined charge, such as `card_declined` or `authentication_required`; kept when the charge is canceled. */
  declineCode: string | null;
  cents: number;
  refundedCents: number;
  /** Amount taken by lost disputes, which may concern only part of the charge. */
  lostCents: number;
  dispute: 'none' | 'open' | 'won' | 'lost';
};

/** A signal that an object changed; the object itself is always read again. */
export type PaymentEvent = {
  id: string;
  type: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  object: { kind: 'checkout' | 'charge' | 'card' | 'customer' | 'other'; id: string };
};

/** Thrown for a delivery that is not from the provider, too old, from the future, or of the wrong mode (test or live). */
export class BadSignature extends Error {
  override name = 'BadSignature';
}

/** Thrown when the outcome is unknown: read the object before trying anything else. */
export class PaymentUncertain extends Error {
  override name = 'PaymentUncertain';
}

/** Thrown when the provider throttles requests; the request had no effect. */
export class PaymentThrottled extends Error {
  override name = 'PaymentThrottled';
}

/** Thrown when the provider rejects the request itself, such as for a wrong secret or an unknown parameter. Retrying does not help. */
export class PaymentMisuse extends Error {
  override name = 'PaymentMisuse';
}

/** Thrown when the saved card or its customer no longer exists: no charge can succeed. */
export class CardGone extends PaymentMisuse {
  override name = 'CardGone';
}
