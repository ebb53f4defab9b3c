import type { Clock } from '../../../src/platform/clock.ts';

/** The objects of the played Stripe, in the shape in which they are sent. Instants are seconds. */
type Stored<Kind extends string> = { id: string; object: Kind; created: number; livemode: boolean };
type Metadata = Record<string, string>;

export const CARDS = [
  'ok',
  'card_declined',
  'insufficient_funds',
  'expired_card',
  'authentication_required',
  'processing',
  'ok_then_disputed',
] as const;

/** What comes of charging a card without its owner. */
export type CardBehaviour = (typeof CARDS)[number];

export type Customer = Stored<'customer'> & { metadata: Metadata; deleted?: true };

export type PaymentMethod = Stored<'payment_method'> & {
  type: 'card';
  customer: string | null;
};

export type DeclineReason = {
  type: 'card_error';
  code: string;
  decline_code: string;
  message: string;
  payment_method: { id: string };
};

export type Intent = Stored<'payment_intent'> & {
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  payment_method: string | null;
  status:
    | 'requires_payment_method'
    | 'requires_confirmation'
    | 'requires_action'
    | 'processing'
    | 'succeeded'
    | 'canceled';
  last_payment_error: DeclineReason | null;
  latest_charge: string | null;
  setup_future_usage: 'off_session' | 'on_session' | null;
  metadata: Metadata;
};

export type Charge = Stored<'charge'> & {
  amount: number;
  amount_refunded: number;
  currency: string;
  customer: string | null;
  disputed: boolean;
  refunded: boolean;
  paid: boolean;
  status: 'succeeded' | 'pending' | 'failed';
  payment_intent: string;
  payment_method: string | null;
  failure_code: string | null;
  metadata: Metadata;
};

export type Session = Stored<'checkout.session'> & {
  mode: 'payment';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  amount_total: number;
  currency: string;
  client_reference_id: string | null;
  customer: string | null;
  customer_creation: 'always' | 'if_required';
  payment_intent: string | null;
  metadata: Metadata;
  success_url: string;
  cancel_url: string | null;
  expires_at: number;
  url: string | null;
  custom_text: { submit: { message: string } | null };
};

/** What a session keeps for the payment intent that its buyer will make. */
export type IntentPlan = { metadata: Metadata; setup_future_usage: Intent['setup_future_usage'] };

export type Refund = Stored<'refund'> & {
  amount: number;
  charge: string;
  payment_intent: string;
  status: 'succeeded' | 'failed';
};

export type Dispute = Stored<'dispute'> & {
  amount: number;
  charge: string;
  payment_intent: string;
  status: 'needs_response' | 'warning_needs_response' | 'under_review' | 'won' | 'lost';
};

export type StripeObject =
  | Customer
  | PaymentMethod
  | Intent
  | Charge
  | Session
  | Refund
  | Dispute
  | StripeEvent;

export type StripeEvent = Stored<'event'> & {
  api_version: string;
  type: string;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  data: { object: Exclude<StripeObject, StripeEvent> };
};

/** A charge that really happened, or money that went back: what the books are compared with. */
export type JournalLine = {
  kind: 'charge' | 'refund' | 'dispute lost';
  at: number;
  intent: string;
  cents: number;
  metadata: Metadata;
};

/** All that one account of the played Stripe knows. */
export type Account = {
  readonly clock: Clock;
  readonly livemode: boolean;
  readonly origin: string;
  readonly customers: Map<string, Customer>;
  readonly cards: Map<string, PaymentMethod>;
  /** What comes of charging each card. */
  readonly behaviours: Map<string, CardBehaviour>;
  readonly intents: Map<string, Intent>;
  readonly charges: Map<string, Charge>;
  readonly sessions: Map<string, Session>;
  readonly plans: Map<string, IntentPlan>;
  readonly refunds: Map<string, Refund>;
  readonly disputes: Map<string, Dispute>;
  readonly events: Map<string, StripeEvent>;
  readonly journal: JournalLine[];
  /** The common fields of a new object. */
  stored<Kind extends string>(kind: Kind, prefix: string): Stored<Kind>;
  /** Records that an object changed, as it is now. */
  emit(type: string, object: StripeEvent['data']['object']): void;
};

export const API_VERSION = '2026-10-28.endive';

export function openAccount(outside: {
  clock: Clock;
  livemode: boolean;
  origin: string;
  onEvent(event: StripeEvent): void;
}): Account {
  const { clock, livemode, origin, onEvent } = outside;
  let made = 0;
  const stored = <Kind extends string>(object: Kind, prefix: string): Stored<Kind> => {
    made += 1;
    const id = `${prefix}_${livemode ? 'live' : 'test'}${String(made).padStart(8, '0')}`;
    return { id, object, created: Math.floor(clock.now() / 1_000), livemode };
  };
  const events = new Map<string, StripeEvent>();
  return {
    ...{ clock, livemode, origin, stored, events },
    customers: new Map(),
    cards: new Map(),
    behaviours: new Map(),
    intents: new Map(),
    charges: new Map(),
    sessions: new Map(),
    plans: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    journal: [],
    emit(type, object) {
      const event: StripeEvent = {
        ...stored('event', 'evt'),
        api_version: API_VERSION,
        type,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        data: { object: structuredClone(object) },
      };
      events.set(event.id, event);
      onEvent(event);
    },
  };
}
