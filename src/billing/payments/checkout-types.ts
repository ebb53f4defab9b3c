import type { PackName } from '../ledger/prices.ts';
import type { AutoReload } from './auto-reload.ts';
import type { AutoReloadChange } from './reload-procedures.ts';

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
