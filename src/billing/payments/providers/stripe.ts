import type { Agent } from 'node:http';
import Stripe from 'stripe';
import { type Clock, DAY_MS } from '../../../platform/clock.ts';
import {
  BadSignature,
  CardGone,
  type ChargeOrder,
  type ChargeState,
  type CheckoutOrder,
  type CheckoutState,
  EVENTS_MAX,
  type PaymentEvent,
  PaymentMisuse,
  type PaymentProvider,
  PaymentThrottled,
  PaymentUncertain,
} from './payment-provider.ts';

/** The metadata field that holds our reference in everything that we create at Stripe. */
const REFERENCE = 'sanderling_reference';
const OPEN_DISPUTE = new Set<string>([
  'needs_response',
  'under_review',
  'appeal_needs_response',
  'appeal_under_review',
]);

/** Event types that are listed, in case deliveries were lost. */
const EVENT_TYPES = [
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

/** An HMAC-SHA256 in hex. */
const SIGNATURE = /^v1=[0-9a-f]{64}$/;

export type StripeSettings = {
  secretKey: string;
  /** A delivery may be signed with any of them, so that a secret can be rotated without losing deliveries. */
  webhookSecrets: readonly string[];
  /** Base URL of a fake Stripe for tests; null: the real one. */
  apiBase: string | null;
  clock: Clock;
  /** The agent that opens connections; absent: the library's own. */
  agent?: Agent | undefined;
};

export type StripeLimits = { timeoutMs: number; retries: number };

export const STRIPE_LIMITS: StripeLimits = { timeoutMs: 15_000, retries: 2 };
const API_VERSION = '2026-10-28.endive';
const CURRENCY = 'usd';
/** Tolerance for a signature's time, in the past and in the future. */
const TOLERANCE_S = 300;
/** Expands the payment intent as well. */
const CHARGE_OF_SESSION = 'payment_intent.latest_charge';
const PAGE_SIZE = 100;
const CHARGES_SEARCHED_MAX = 1_000;
const DISPUTES_MAX = 10;
/** Maximum difference between our clock and Stripe's. */
const CLOCK_DRIFT_MS = 600_000;
/** Stripe repeats its response to an idempotency key for at least this long (https://docs.stripe.com/api/idempotent_requests). */
const KEY_KEPT_MS = DAY_MS;

/** Payments through Stripe: hosted pages are Checkout Sessions, charges are Payment Intents. */
export function createStripe(
  settings: StripeSettings,
  limits: StripeLimits = STRIPE_LIMITS,
): PaymentProvider {
  const stripe = createClient(settings, limits);
  return {
    name: 'stripe',
    openCheckout: (wanted) => callStripe(() => openCheckout(stripe, wanted)),
    getCheckout: (id) =>
      callStripe(async () =>
        toCheckoutState(await stripe.checkout.sessions.retrieve(id, { expand: [CHARGE_OF_SESSION] })),
      ),
    prepareCharge: (wanted) => callStripe(() => prepareCharge(stripe, wanted, settings.clock)),
    confirmCharge: (id, attempt) => {
      const options = { idempotencyKey: `confirm:${id}:${attempt}` };
      const confirm = () => stripe.paymentIntents.confirm(id, { off_session: true }, options);
      return callStripe(() => changeCharge(stripe, id, confirm));
    },
    getCharge: (id) => callStripe(() => readCharge(stripe, id)),
    cancelCharge: (id) => callStripe(() => changeCharge(stripe, id, () => stripe.paymentIntents.cancel(id))),
    removeCard: (card) => callStripe(() => removeCard(stripe, card)),
    receiptOf: (id) =>
      callStripe(async () => {
        const intent = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
        return findLatestCharge(intent)?.receipt_url ?? null;
      }),
    findCharge: (wanted) => callStripe(() => findCharge(stripe, wanted)),
    readEvent: (delivery) => toPaymentEvent(verifyEvent(stripe, settings, delivery)),
    listEvents: (since) => callStripe(() => listEvents(stripe, since)),
  };
}

function createClient({ secretKey, apiBase, agent }: StripeSettings, limits: StripeLimits): Stripe {
  const base = apiBase === null ? null : new URL(apiBase);
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: limits.retries,
    timeout: limits.timeoutMs,
    telemetry: false,
    ...(agent === undefined ? {} : { httpAgent: agent }),
    ...(base === null
      ? {}
      : {
          host: base.hostname,
          port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : base.port,
          protocol: base.protocol === 'http:' ? 'http' : 'https',
        }),
  });
}

async function openCheckout(stripe: Stripe, wanted: CheckoutOrder): Promise<{ id: string; url: string }> {
  const { reference, pack, cents, credits, saveCard } = wanted;
  // Both carry the metadata: events of the payment intent do not include the session's.
  const metadata = { [REFERENCE]: reference, pack, credits: String(credits) };
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'payment',
      allowed_payment_method_types: ['card'],
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: CURRENCY,
            unit_amount: cents,
            product_data: { name: `${credits.toLocaleString('en')} credits` },
          },
        },
      ],
      client_reference_id: reference,
      metadata,
      payment_intent_data: {
        metadata,
        ...(saveCard === null ? {} : { setup_future_usage: 'off_session' }),
      },
      // Stripe saves a card only for a customer.
      ...(saveCard === null
        ? {}
        : { customer_creation: 'always', custom_text: { submit: { message: saveCard.terms } } }),
      success_url: wanted.successUrl.replaceAll('{CHECKOUT_ID}', '{CHECKOUT_SESSION_ID}'),
      cancel_url: wanted.cancelUrl,
    },
    { idempotencyKey: `checkout:${reference}` },
  );
  if (session.url === null) throw new PaymentMisuse(`the session ${session.id} has no page`);
  return { id: session.id, url: session.url };
}

async function prepareCharge(stripe: Stripe, wanted: ChargeOrder, clock: Clock): Promise<ChargeState> {
  const { reference, cents, customer, card } = wanted;
  const create = async (idempotencyKey: string): Promise<ChargeState> =>
    toChargeState(
      await stripe.paymentIntents.create(
        {
          amount: cents,
          currency: CURRENCY,
          customer,
          payment_method: card,
          allowed_payment_method_types: ['card'],
          metadata: { [REFERENCE]: reference },
        },
        { idempotencyKey },
      ),
    );
  try {
    return await create(`charge:${reference}`);
  } catch (error) {
    if (!isReplayedFailure(error)) throw error;
    // Stripe repeats this response for a day. Either the first request left a charge, or a second request is safe.
    const existing = await findCharge(stripe, { reference, customer, since: clock.now() - KEY_KEPT_MS });
    return existing ?? (await create(`charge:${reference}:again`));
  }
}

/** Changes a charge. After a decline, or if the charge is in an unexpected state, reads it instead. */
async function changeCharge(
  stripe: Stripe,
  id: string,
  change: () => Promise<Stripe.PaymentIntent>,
): Promise<ChargeState> {
  try {
    return toChargeState(await change());
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    const isOtherState =
      error instanceof StripeInvalidRequestError && error.code === 'payment_intent_unexpected_state';
    if (!(error instanceof StripeCardError) && !isOtherState) throw error;
    return readCharge(stripe, id);
  }
}

/** Detaches a card from its customer. Stripe rejects this for an unattached card, so after an error the card is checked. */
async function removeCard(stripe: Stripe, card: string): Promise<void> {
  const { StripeInvalidRequestError } = Stripe.errors;
  const isMissing = (error: unknown): boolean =>
    error instanceof StripeInvalidRequestError && error.code === 'resource_missing';
  try {
    await stripe.paymentMethods.detach(card);
  } catch (error) {
    if (isMissing(error)) return;
    if (!(error instanceof StripeInvalidRequestError)) throw error;
    const { customer } = await stripe.paymentMethods.retrieve(card);
    if (customer !== null) throw error;
  }
}

async function readCharge(stripe: Stripe, id: string): Promise<ChargeState> {
  const intent = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
  if (findLatestCharge(intent)?.disputed !== true) return toChargeState(intent);
  const disputes = await stripe.disputes.list({ payment_intent: id, limit: DISPUTES_MAX });
  return toChargeState(intent, disputes.data);
}

/** Finds a charge by listing, which includes those just created; Stripe's search lags behind. */
async function findCharge(
  stripe: Stripe,
  { reference, customer, since }: { reference: string; customer: string; since: number },
): Promise<ChargeState | null> {
  const created = { gte: toSeconds(since - CLOCK_DRIFT_MS) };
  let searched = 0;
  for await (const intent of stripe.paymentIntents.list({ customer, created, limit: PAGE_SIZE })) {
    if (intent.metadata[REFERENCE] === reference) return readCharge(stripe, intent.id);
    searched += 1;
    if (searched >= CHARGES_SEARCHED_MAX) throw new PaymentUncertain('too many charges to search');
  }
  return null;
}

async function listEvents(stripe: Stripe, since: number): Promise<PaymentEvent[]> {
  const created = { gte: toSeconds(since) };
  const events: PaymentEvent[] = [];
  for await (const event of stripe.events.list({ created, types: EVENT_TYPES, limit: PAGE_SIZE })) {
    events.push(toPaymentEvent(event));
    if (events.length >= EVENTS_MAX) break;
  }
  return events;
}

/** Returns the event of a delivery that one of our secrets signed within TOLERANCE_S. Throws `BadSignature`. */
function verifyEvent(
  stripe: Stripe,
  { secretKey, webhookSecrets }: StripeSettings,
  { body, signature, now }: Parameters<PaymentProvider['readEvent']>[0],
): Stripe.Event {
  const event =
    signature === undefined ? null : findSignedEvent(stripe, webhookSecrets, { body, signature, now });
  if (event === null) throw new BadSignature('the signature is wrong or its time is out of tolerance');
  if (event.livemode !== isLive(secretKey))
    throw new BadSignature("the event's mode (live or test) is not that of the secret key");
  return event;
}

function findSignedEvent(
  stripe: Stripe,
  secrets: readonly string[],
  { body, signature, now }: { body: Uint8Array; signature: string; now: number },
): Stripe.Event | null {
  if (!isWellFormed(signature) || parseSignatureTime(signature) > now / 1_000 + TOLERANCE_S) return null;
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(
        Buffer.from(body),
        signature,
        secret,
        TOLERANCE_S,
        undefined,
        now,
      );
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    }
  }
  return null;
}

/** Calls Stripe and converts its errors into ours. */
async function callStripe<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toPaymentError(error);
  }
}

function toPaymentError(cause: unknown): unknown {
  const { errors } = Stripe;
  if (!(cause instanceof errors.StripeError)) return cause;
  const why = `${cause.type} ${cause.code ?? ''}: ${cause.message}`;
  if (cause instanceof errors.StripeRateLimitError) return new PaymentThrottled(why, { cause });
  // The outcome is unknown: a lost connection, a failure on their side, the same request still in progress (409).
  if (cause instanceof errors.StripeConnectionError || cause instanceof errors.StripeAPIError)
    return new PaymentUncertain(why, { cause });
  if (cause instanceof errors.StripeInvalidRequestError && isCardGone(cause))
    return new CardGone(why, { cause });
  return new PaymentMisuse(why, { cause });
}

function isReplayedFailure(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeAPIError &&
    (error.statusCode ?? 0) >= 500 &&
    error.headers?.['idempotent-replayed'] === 'true'
  );
}

/** Reads a checkout session, whose payment intent and latest charge must be expanded. */
function toCheckoutState(session: Stripe.Checkout.Session): CheckoutState {
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
function toChargeState(intent: Stripe.PaymentIntent, disputes: DisputeFacts[] = []): ChargeState {
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
function findLatestCharge({ latest_charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof latest_charge === 'object' ? latest_charge : null;
}

/** Combines all disputes of a charge into one state. Inquiries and prevented disputes do not count, because they take no money. */
function summarizeDisputes(disputes: DisputeFacts[]): ChargeState['dispute'] {
  const statuses = disputes.map(({ status }) => status);
  if (statuses.some((status) => OPEN_DISPUTE.has(status))) return 'open';
  if (statuses.includes('lost')) return 'lost';
  return statuses.includes('won') ? 'won' : 'none';
}

/** Reads which object an event is about, and nothing else of it. */
function toPaymentEvent(event: Stripe.Event): PaymentEvent {
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

/** Checks the form of the signatures, because Stripe's client throws a TypeError for one of another length. */
function isWellFormed(header: string): boolean {
  const signatures = header.split(',').filter((part) => part.startsWith('v1='));
  return signatures.every((signature) => SIGNATURE.test(signature));
}

/** Parses the signature's time. Stripe's client rejects an old time but accepts a future one; of several times it reads the last. */
function parseSignatureTime(header: string): number {
  const times = header.split(',').filter((part) => part.startsWith('t='));
  return Number.parseInt(times.at(-1)?.slice(2) ?? '', 10);
}

/** Returns true if a secret key moves real money. */
function isLive(secretKey: string): boolean {
  return /^[a-z]+_live_/.test(secretKey);
}

/** Converts milliseconds to the seconds that Stripe uses. */
function toSeconds(instant: number): number {
  return Math.floor(instant / 1_000);
}

/** Returns true if an error is about the customer or the card. Both were valid when stored, so such an error means that they are gone. */
function isCardGone({ param, code }: { param?: string; code?: string }): boolean {
  return (param === 'payment_method' || param === 'customer') && code !== 'parameter_unknown';
}
