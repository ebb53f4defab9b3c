import type Stripe from 'stripe';
import type { ChargeState, CheckoutState, PaymentEvent } from './payment-provider.ts';

/** The metadata field that holds our reference in everything that we create at Stripe. */
export const REFERENCE = 'sanderling_reference';

/** Reads a checkout session, whose payment intent and latest charge must be expanded. */
export function toCheckoutState(session: Stripe.Checkout.Session): CheckoutState {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const isKept = intent?.setup_future_usage === 'off_session';
  return {
    id: session.id,
    reference: session.client_reference_id,
    state: toPageState(session, intent),
    cents: session.amount_total ?? 0,
    currency: session.currency ?? '',
    charge: readId(session.payment_intent),
    customer: readId(session.customer),
    card: isKept ? readId(intent.payment_method) : null,
    paidBy: intent === null ? null : readPayingCard(intent),
  };
}

function readPayingCard(intent: Stripe.PaymentIntent): CheckoutState['paidBy'] {
  const { brand, last4 } = findLatestCharge(intent)?.payment_method_details?.card ?? {};
  return brand == null || last4 == null ? null : { brand, last4 };
}

function toPageState(
  { status, payment_status }: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): CheckoutState['state'] {
  if (status === 'expired') return 'expired';
  if (status !== 'complete') return 'open';
  if (payment_status === 'paid') return 'paid';
  // After a delayed payment failed, the session can no longer be paid.
  const hasFailed = intent?.status === 'requires_payment_method' || intent?.status === 'canceled';
  return hasFailed ? 'expired' : 'awaiting';
}

/** The fields of a dispute that are read. */
type DisputeFacts = Pick<Stripe.Dispute, 'status' | 'amount' | 'currency'>;

/** Reads a payment intent; its refunds are known only if its latest charge is expanded. */
export function toChargeState(intent: Stripe.PaymentIntent, disputes: DisputeFacts[] = []): ChargeState {
  const state = toIntentState(intent);
  const code = intent.status === 'requires_action' ? 'authentication_required' : readDeclineCode(intent);
  return {
    id: intent.id,
    reference: intent.metadata[REFERENCE] ?? null,
    state,
    declineCode: state === 'declined' || state === 'canceled' ? code : null,
    cents: intent.amount,
    refundedCents: findLatestCharge(intent)?.amount_refunded ?? 0,
    lostCents: computeLostCents(intent, disputes),
    dispute: summarizeDisputes(disputes),
  };
}

/** Computes the amount taken by lost disputes. One in another currency counts as the whole amount. */
function computeLostCents({ amount, currency }: Stripe.PaymentIntent, disputes: DisputeFacts[]): number {
  const lost = disputes.filter(({ status }) => status === 'lost');
  const cents = lost.map((dispute) => (dispute.currency === currency ? dispute.amount : amount));
  return Math.min(
    amount,
    cents.reduce((sum, one) => sum + one, 0),
  );
}

function toIntentState({ status, last_payment_error }: Stripe.PaymentIntent): ChargeState['state'] {
  switch (status) {
    case 'succeeded':
      return 'succeeded';
    case 'canceled':
      return 'canceled';
    case 'processing':
    case 'requires_capture':
      return 'processing';
    case 'requires_action':
      // The card's owner would have to authenticate.
      return 'declined';
    case 'requires_payment_method':
      return last_payment_error === null ? 'prepared' : 'declined';
    default:
      return 'prepared';
  }
}

function readDeclineCode({ last_payment_error }: Stripe.PaymentIntent): string | null {
  return last_payment_error === null ? null : (last_payment_error.code ?? 'card_declined');
}

/** Returns the latest charge; null if there is none, or if only its id is known. */
export function findLatestCharge({ latest_charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof latest_charge === 'object' ? latest_charge : null;
}

/** Combines all disputes of a charge into one state. Inquiries and prevented disputes do not count, because they take no money. */
function summarizeDisputes(disputes: DisputeFacts[]): ChargeState['dispute'] {
  const statuses = disputes.map(({ status }) => status);
  if (statuses.some((status) => OPEN_DISPUTE.has(status))) return 'open';
  if (statuses.includes('lost')) return 'lost';
  return statuses.includes('won') ? 'won' : 'none';
}

const OPEN_DISPUTE = new Set<string>([
  'needs_response',
  'under_review',
  'appeal_needs_response',
  'appeal_under_review',
]);

/** Event types that are listed, in case deliveries were lost. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'payment_method.detached',
  'customer.deleted',
];

/** Reads which object an event is about, and nothing else of it. */
export function toPaymentEvent(event: Stripe.Event): PaymentEvent {
  return {
    id: event.id,
    type: event.type,
    createdAt: event.created * 1_000,
    object: readChangedObject(event),
  };
}

function readChangedObject({ type, data }: Stripe.Event): PaymentEvent['object'] {
  // The objects of all event types have these fields, or none of them.
  const object = data.object as { id?: string; payment_intent?: string | { id: string } | null };
  const id = object.id ?? '';
  if (type.startsWith('checkout.session.')) return { kind: 'checkout', id };
  if (type.startsWith('payment_intent.')) return { kind: 'charge', id };
  // Charges, refunds and disputes name their payment intent, which is our charge.
  if (type.startsWith('charge.') || type.startsWith('refund.')) {
    const charge = readId(object.payment_intent ?? null);
    return charge === null ? { kind: 'other', id } : { kind: 'charge', id: charge };
  }
  if (type === 'payment_method.detached') return { kind: 'card', id };
  if (type === 'customer.deleted') return { kind: 'customer', id };
  return { kind: 'other', id };
}

function readId(object: string | { id: string } | null): string | null {
  return typeof object === 'object' ? (object?.id ?? null) : object;
}

/** An HMAC-SHA256 in hex. */
const SIGNATURE = /^v1=[0-9a-f]{64}$/;

/** Checks the form of the signatures, because Stripe's client throws a TypeError for one of another length. */
export function isWellFormed(header: string): boolean {
  const signatures = header.split(',').filter((part) => part.startsWith('v1='));
  return signatures.every((signature) => SIGNATURE.test(signature));
}

/** Parses the signature's time. Stripe's client rejects an old time but accepts a future one; of several times it reads the last. */
export function parseSignatureTime(header: string): number {
  const times = header.split(',').filter((part) => part.startsWith('t='));
  return Number.parseInt(times.at(-1)?.slice(2) ?? '', 10);
}

/** Returns true if a secret key moves real money. */
export function isLive(secretKey: string): boolean {
  return /^[a-z]+_live_/.test(secretKey);
}

/** Converts milliseconds to the seconds that Stripe uses. */
export function toSeconds(instant: number): number {
  return Math.floor(instant / 1_000);
}

/** Returns true if an error is about the customer or the card. Both were valid when stored, so such an error means that they are gone. */
export function isCardGone({ param, code }: { param?: string; code?: string }): boolean {
  return (param === 'payment_method' || param === 'customer') && code !== 'parameter_unknown';
}
