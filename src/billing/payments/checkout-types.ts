import type { PackName } from '../ledger/prices.ts';
import type { AutoReload } from './auto-reload.ts';
import type { AutoReloadChange } from './reload-procedures.ts';

/** What a link to buy asks for, checked. */
export type CheckoutRequest = {
  pack: PackName;
  /** Adds the credits to this key instead of making a new one. */
  topUp: string | null;
  autoReload: { threshold: number; pack: PackName; capCents: number } | null;
};

/** Who has come back from the payment page: the provider's id and the secret that only the buyer's address holds. */
export type CheckoutCredentials = { checkoutId: string; nonce: string };

export type CheckoutView =
  /** Not paid yet: ask again in a moment. */
  | { kind: 'pending' }
  | { kind: 'expired' }
  | { kind: 'unknown' }
  | {
      kind: 'fulfilled';
      pack: PackName;
      credits: number;
      /** Null when the credits went to a key that its owner has already, or when the key was shown before. */
      apiKey: string | null;
      toppedUp: boolean;
      hint: string;
      autoReload: AutoReload;
    };

export type Checkouts = {
  /** Where to send the browser. */
  open(wanted: CheckoutRequest): Promise<{ url: string }>;
  /** What became of it; fulfils it when it is paid and nobody has done so yet. Shows the new key for a while after the first time. */
  view(credentials: CheckoutCredentials): Promise<CheckoutView>;
  /** The owner's settings, also with a cap above what the interface allows. Null when the credentials is not good. */
  configure(credentials: CheckoutCredentials, change: AutoReloadChange): Promise<AutoReload | null>;
};
