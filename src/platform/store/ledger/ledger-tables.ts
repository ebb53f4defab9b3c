import type { Generated } from 'kysely';

/**
 * The tables of the ledger store, all of which belong to `billing`. Instants are milliseconds since the epoch, days are
 * `YYYY-MM-DD` in UTC, credits are whole numbers.
 */
export type LedgerTables = {
  api_key: ApiKeyTable;
  key_version: KeyVersionTable;
  account: AccountTable;
  hold: HoldTable;
  entry: EntryTable;
  roll_progress: RollProgressTable;
  horizon: HorizonTable;
  usage_day: UsageDayTable;
  allowance: AllowanceTable;
  checkout: CheckoutTable;
  purchase: PurchaseTable;
  payment_event: PaymentEventTable;
  session: SessionTable;
  app_grant: AppGrantTable;
  sandbox_object: SandboxObjectTable;
  idempotent_call: IdempotentCallTable;
};

export type ApiKeyTable = {
  id: string;
  /** SHA-256 of the key in hex; the key itself is not stored. */
  hash: string;
  kind: 'free' | 'paid' | 'operator';
  state: 'active' | 'frozen' | 'revoked';
  /** The first characters of the key, so that its owner recognises it. */
  hint: string;
  label: string | null;
  /** The network that claimed a free key; null for other kinds. */
  network: string | null;
  /** The account that its calls are charged to, by the id of that account's first key; null: its own. */
  account_id: string | null;
  /** 0 or 1: the key may be used to sign in and manage the account. */
  manages: number;
  /** The hash of the key before its rotation, which is valid until `old_until`. */
  old_hash: string | null;
  old_until: number | null;
  /** 0 or 1: pages read by the key's calls are not kept for other callers. */
  no_store: number;
  /** Maximum calls per minute and per UTC day, and when the key expires; set by operators and owners. */
  per_minute: number | null;
  per_day: number | null;
  expires_at: number | null;
  created_at: number;
};

/** One row, incremented by a trigger on each change of a key that affects its calls. */
type KeyVersionTable = { version: number };

/**
 * The account that the keys of one owner draw on; one row, so that a charge locks one row. `available + held` is the balance of the last
 * entry. Here and in the tables below, `key_id` is the account: the id of its first key.
 */
export type AccountTable = {
  key_id: string;
  available: number;
  held: number;
  /** Credits that payments with an open dispute gave: so many of the available ones cannot be used. */
  disputed: Generated<number>;
  /** Number of entries. */
  version: number;
  /** 0 or 1: automatic reload is on. */
  reload_enabled: Generated<number>;
  reload_threshold: Generated<number>;
  reload_pack: Generated<PackColumn>;
  reload_cap_cents: Generated<number>;
  /** The highest cap that a program may set: the one that the owner set in a browser. Null: none yet. */
  reload_owner_cap_cents: number | null;
  /** The UTC month (`YYYY-MM`) of `reload_spent_cents`. */
  reload_month: string | null;
  reload_spent_cents: Generated<number>;
  /** The id of the open purchase. */
  reload_purchase: string | null;
  reload_error: string | null;
  /** The provider's ids of the customer and of the saved card. */
  customer: string | null;
  card: string | null;
  /** Brand and last four digits, so that the owner recognises the card; null if unknown. */
  card_brand: string | null;
  card_last4: string | null;
  /** The checkout that saved the card; null if there is no card, or if it was saved before this column existed. */
  card_checkout: string | null;
  /** Credits owed: refunded in money after they had been spent. */
  debt: Generated<number>;
};

type PackColumn = 'instant' | 'builder' | 'scale';

/** The credits that a call holds while it runs. */
type HoldTable = {
  /** The id of the request. */
  id: string;
  key_id: string;
  amount: number;
  used: number;
  state: HoldState;
  /** When the hold expires; once it has ended, when it ended. */
  expires_at: number;
  /** The calling key, if it is not the account's first; null: it is. */
  spent_by: string | null;
  /** The route that was called; null: unknown. */
  endpoint: string | null;
};

/** held -> captured | voided; captured -> refunded if the response never reached the caller. */
export type HoldState = 'held' | 'captured' | 'voided' | 'refunded';

/**
 * Append-only, except that old charges are rolled: a run of charges is replaced by one entry with the version and balance of the last
 * charge. Per key, versions are 1, 2, 3 ... and `balance` is the running sum of `delta`.
 */
export type EntryTable = {
  key_id: string;
  version: number;
  kind: EntryKind;
  /** The contra account. */
  contra: 'revenue' | 'grants' | 'payments';
  /** Reference of the entry; unique per kind, so that nothing counts twice. */
  ref: string;
  delta: number;
  balance: number;
  /** Time of the entry; for a rolled entry, the start of its UTC day. */
  at: number;
  /** Number of versions that the entry stands for, including its own; more than one only if it is rolled. */
  entries: Generated<number>;
  /** For a charge, as on its hold. */
  spent_by: string | null;
  endpoint: string | null;
};

export type EntryKind =
  | 'grant'
  | 'usage'
  | 'rolled'
  | 'refund'
  | 'purchase'
  | 'reload'
  | 'clawback'
  | 'restored';

/** The last version of a key up to which old charges have been rolled. */
type RollProgressTable = { key_id: string; version: number };

/** Instants before which usage may be rolled and ended holds may be deleted. */
type HorizonTable = { subject: 'usage' | 'hold'; before: number };

/** A payment page and its outcome. Price and credits are fixed when it is opened. */
export type CheckoutTable = {
  id: string;
  provider_id: string | null;
  pack: PackColumn;
  cents: number;
  credits: number;
  /** The key to top up; null: a new one. */
  top_up_key: string | null;
  /** The auto-reload settings that the buyer chose; null: off. */
  reload_threshold: number | null;
  reload_pack: PackColumn | null;
  reload_cap_cents: number | null;
  nonce_hash: string;
  state: 'created' | 'open' | 'awaiting' | 'fulfilled' | 'expired';
  charge_id: string | null;
  key_id: string | null;
  /** Credits taken back after refunds and disputes. */
  clawed_back: Generated<number>;
  dispute: Generated<DisputeColumn>;
  /** Number of times that refunds and disputes have changed this row. */
  aftermath: Generated<number>;
  /** The new key, encrypted, until its owner has seen it. */
  sealed_key: string | null;
  shown_until: number | null;
  /** Attempts to recover the account with this payment. */
  recovery_tries: Generated<number>;
  created_at: number;
};

export type DisputeColumn = 'none' | 'open' | 'won' | 'lost';

/** A purchase by auto-reload. */
export type PurchaseTable = {
  id: string;
  key_id: string;
  pack: PackColumn;
  cents: number;
  credits: number;
  /** The UTC month of the decision, to which its price is counted. */
  month: string;
  state: 'created' | 'processing' | 'succeeded' | 'failed';
  charge_id: string | null;
  attempt: Generated<number>;
  lease_until: Generated<number>;
  error: string | null;
  clawed_back: Generated<number>;
  dispute: Generated<DisputeColumn>;
  /** Number of times that refunds and disputes have changed this row. */
  aftermath: Generated<number>;
  created_at: number;
};

/** The inbox of the provider's events. */
type PaymentEventTable = {
  id: string;
  type: string;
  object_kind: 'checkout' | 'charge' | 'card' | 'customer' | 'other';
  object_id: string;
  created_at: number;
  tries: Generated<number>;
  handled_at: number | null;
};

/** Usage of an account on one day, by calling key and route. */
type UsageDayTable = {
  key_id: string;
  day: string;
  credits: number;
  /** The id of the calling key; empty: the account's first. */
  spent_by: Generated<string>;
  /** Empty: unknown. */
  endpoint: Generated<string>;
  /** Charged calls. */
  calls: Generated<number>;
};

/** A browser session that was signed in with a key. */
export type SessionTable = {
  /** SHA-256 of the cookie's value in hex. */
  id: string;
  /** The account. */
  key_id: string;
  /** The key that signed in; when it ends, so does the session. */
  signed_in_with: string;
  created_at: number;
  expires_at: number;
};

/** What the holder of a key has granted to an application. */
export type AppGrantTable = {
  id: string;
  /** The key that signed in; a grant ends with it. */
  key_id: string;
  client_id: string;
  /** The name that the application gave itself. */
  name: string;
  redirect_uri: string;
  /** The challenge of PKCE. */
  challenge: string;
  /** Separated by spaces. */
  scopes: string;
  /** SHA-256 of the code and of the tokens in hex; null: there are no tokens yet. */
  code_hash: string;
  access_hash: string | null;
  access_until: number | null;
  refresh_hash: string | null;
  /** The token before, which nobody but a thief sends again. */
  old_refresh_hash: string | null;
  created_at: number;
  used_at: number;
  ends_at: number;
};

/** Keyless requests from one address (a /64 of IPv6) on one day. */
type AllowanceTable = { address: string; day: string; used: number };

/** The state of the sandbox, the built-in stand-in for a payment provider; no real money. */
export type SandboxObjectTable = {
  id: string;
  kind: 'checkout' | 'charge' | 'card';
  /** Our reference; unique per kind. */
  reference: string;
  /** The object as JSON. */
  body: string;
  updated_at: number;
};

/** Calls with an `Idempotency-Key`, for a day. */
type IdempotentCallTable = {
  /** Derived from the key and its owner; neither is stored. */
  id: string;
  /** SHA-256 of what the call asks for. */
  fingerprint: string;
  /** The attempt that may write the row. */
  attempt: string;
  /** When an attempt under way counts as lost with its process; null: the call was done. */
  lost_at: number | null;
  /** The response, sealed with the key; null: not kept. `bytes` is its length, 0 if it was not kept. */
  response: Uint8Array | null;
  bytes: number;
  expires_at: number;
};
