import type { PackName } from '../../ledger/prices.ts';

/**
 * What we ask of a payment provider. Whatever may be asked twice carries our own reference, under which it happens once.
 * Money is in whole US cents.
 */
export type PaymentProvider = {
  name: 'stripe' | 'sandbox';
  /** Opens a hosted payment page for one pack. The same reference gives the same page. */
  openCheckout(wanted: CheckoutWanted): Promise<{ id: string; url: string }>;
  getCheckout(id: string): Promise<CheckoutState>;
  /** Prepares a charge of a saved card; no money moves yet. The same reference gives the same charge. */
  prepareCharge(wanted: ChargeWanted): Promise<ChargeState>;
  /** Charges the saved card without its owner being there; at most one success for each charge, however often it is asked. */
  confirmCharge(id: string, attempt: number): Promise<ChargeState>;
  getCharge(id: string): Promise<ChargeState>;
  /** A charge that will not be tried again is closed; one that has succeeded stays as it is. */
  cancelCharge(id: string): Promise<ChargeState>;
  /** The charge that was prepared under a reference although its id never arrived here, or null. */
  findCharge(wanted: { reference: string; customer: string; since: number }): Promise<ChargeState | null>;
  /** The event of a delivery whose signature is good. Throws `BadSignature`. */
  readEvent(delivery: { body: Uint8Array; signature: string | undefined; now: number }): PaymentEvent;
  /** Events since an instant, for those whose delivery was lost; newest first, at most EVENTS_MAX. */
  listEvents(since: number): Promise<PaymentEvent[]>;
};

export const EVENTS_MAX = 1_000;

export type CheckoutWanted = {
  /** Our checkout's id. */
  reference: string;
  pack: PackName;
  cents: number;
  credits: number;
  /** Keeps the card for auto-reload, on terms that the buyer is shown before paying. */
  saveCard: { terms: string } | null;
  /** Where the browser lands after paying; `{CHECKOUT_ID}` in it stands for the provider's id. */
  successUrl: string;
  cancelUrl: string;
};

export type CheckoutState = {
  id: string;
  reference: string | null;
  /** `awaiting`: the buyer is through, the money is not there yet. */
  state: 'open' | 'awaiting' | 'paid' | 'expired';
  cents: number;
  /** ISO 4217, lower case. */
  currency: string;
  /** Known once it is paid; the card only when it was to be kept. */
  charge: string | null;
  customer: string | null;
  card: string | null;
};

export type ChargeWanted = { reference: string; cents: number; customer: string; card: string };

export type ChargeState = {
  id: string;
  reference: string | null;
  /**
   * `prepared` may be confirmed; `declined` stays so until it is canceled, since its card was refused; `processing` ends by
   * itself; the others are final, but for refunds and disputes.
   */
  state: 'prepared' | 'processing' | 'succeeded' | 'declined' | 'canceled';
  /** Of `declined`, and kept when such a charge is canceled: the provider's code, such as `card_declined` or `authentication_required`. */
  declineCode: string | null;
  cents: number;
  refundedCents: number;
  dispute: 'none' | 'open' | 'won' | 'lost';
};

/** A hint that an object changed: the object itself is always read anew. */
export type PaymentEvent = {
  id: string;
  type: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  object: { kind: 'checkout' | 'charge' | 'card' | 'customer' | 'other'; id: string };
};

/** The delivery does not come from the provider, is too old or from the future, or tells of play money where real money is meant. */
export class BadSignature extends Error {
  override name = 'BadSignature';
}

/** Whether it happened is not known: the object has to be read before anything else is tried. */
export class PaymentUncertain extends Error {
  override name = 'PaymentUncertain';
}

/** The provider asks for a pause; nothing happened. */
export class PaymentThrottled extends Error {
  override name = 'PaymentThrottled';
}

/** The provider refuses the request itself: a wrong secret, a parameter it does not know. Trying again does not help. */
export class PaymentMisuse extends Error {
  override name = 'PaymentMisuse';
}

/** The saved card, or the customer whose it was, is no longer there: no charge of it can succeed. */
export class CardGone extends PaymentMisuse {
  override name = 'CardGone';
}
