import { checkOwner, customerOf } from './cards.ts';
import { invalid, missing, StripeFailure } from './failure.ts';
import type { Params } from './form.ts';
import type { Account, CardBehaviour, Charge, DeclineReason, Intent, PaymentMethod } from './objects.ts';
import { openDispute } from './refunds.ts';

const CENTS_MIN = 50;

export function createIntent(account: Account, params: Params): Intent {
  const customer = params.text('customer');
  const card = params.text('payment_method');
  if (customer !== null) customerOf(account, customer, 'customer');
  if (card !== null) checkOwner(account, card, customer);
  return addIntent(account, {
    amount: params.whole('amount') ?? 0,
    currency: params.text('currency') ?? '',
    customer,
    payment_method: card,
    setup_future_usage: null,
    metadata: params.under('metadata'),
  });
}

export function addIntent(
  account: Account,
  parts: Pick<
    Intent,
    'amount' | 'currency' | 'customer' | 'payment_method' | 'setup_future_usage' | 'metadata'
  >,
): Intent {
  if (parts.amount < CENTS_MIN)
    throw invalid('Amount must be at least $0.50 usd', { code: 'amount_too_small', param: 'amount' });
  const intent: Intent = {
    ...account.stored('payment_intent', 'pi'),
    ...parts,
    amount_received: 0,
    status: parts.payment_method === null ? 'requires_payment_method' : 'requires_confirmation',
    last_payment_error: null,
    latest_charge: null,
  };
  account.intents.set(intent.id, intent);
  account.emit('payment_intent.created', intent);
  return intent;
}

export function intentOf(account: Account, id: string): Intent {
  const intent = account.intents.get(id);
  if (intent === undefined) throw missing('payment_intent', id, 'intent');
  return intent;
}

/** One success at most; a decline takes the card off the intent, so that it cannot be confirmed again as it is. */
export function confirmIntent(account: Account, id: string, params: Params): Intent {
  const intent = intentOf(account, id);
  const chosen = params.text('payment_method') ?? intent.payment_method;
  if (!/^requires_/.test(intent.status) || chosen === null) throw unexpectedState(intent, 'confirm');
  const card = checkOwner(account, chosen, intent.customer);
  intent.payment_method = card.id;
  const outcome = account.behaviours.get(card.id) ?? 'ok';
  if (outcome === 'ok' || outcome === 'ok_then_disputed') {
    succeed(account, intent);
    if (outcome === 'ok_then_disputed') openDispute(account, intent.id);
    return intent;
  }
  if (outcome === 'processing') {
    process(account, intent);
    return intent;
  }
  if (outcome === 'authentication_required' && !params.flag('off_session')) {
    intent.status = 'requires_action';
    account.emit('payment_intent.requires_action', intent);
    return intent;
  }
  throw decline(account, intent, { card, outcome });
}

export function cancelIntent(account: Account, id: string): Intent {
  const intent = intentOf(account, id);
  if (!/^requires_/.test(intent.status)) throw unexpectedState(intent, 'cancel');
  intent.status = 'canceled';
  account.emit('payment_intent.canceled', intent);
  return intent;
}

export function succeed(account: Account, intent: Intent): void {
  const charge = chargeFor(account, intent, 'pending');
  Object.assign(charge, { status: 'succeeded', paid: true });
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.last_payment_error = null;
  account.journal.push({
    kind: 'charge',
    at: account.clock.now(),
    intent: intent.id,
    cents: intent.amount,
    metadata: intent.metadata,
  });
  account.emit('charge.succeeded', charge);
  account.emit('payment_intent.succeeded', intent);
}

export function process(account: Account, intent: Intent): void {
  chargeFor(account, intent, 'pending');
  intent.status = 'processing';
  account.emit('payment_intent.processing', intent);
}

type Declined = { card: PaymentMethod; outcome: CardBehaviour };

/** Notes a decline on the intent and gives the refusal that tells it. */
export function decline(account: Account, intent: Intent, { card, outcome }: Declined): StripeFailure {
  const reason = reasonOf(card, outcome);
  const charge = chargeFor(account, intent, 'failed');
  Object.assign(charge, { status: 'failed', failure_code: reason.code });
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = reason;
  account.emit('charge.failed', charge);
  account.emit('payment_intent.payment_failed', intent);
  const { type, code, decline_code, message } = reason;
  return new StripeFailure(402, {
    ...{ type, code, decline_code, message },
    charge: charge.id,
    payment_intent: structuredClone(intent),
  });
}

/** Ends a payment that was under way. */
export function settleProcessing(account: Account, id: string, outcome: 'succeeded' | 'failed'): Intent {
  const intent = intentOf(account, id);
  if (intent.status !== 'processing') throw new Error(`${id} is ${intent.status}`);
  if (outcome === 'succeeded') succeed(account, intent);
  else {
    const card = account.cards.get(intent.payment_method ?? '');
    if (card === undefined) throw new Error(`${id} has no card`);
    decline(account, intent, { card, outcome: 'card_declined' });
  }
  return intent;
}

/** The charge that a pending payment has already, or a new one. */
function chargeFor(account: Account, intent: Intent, status: Charge['status']): Charge {
  const before = account.charges.get(intent.latest_charge ?? '');
  if (before?.status === 'pending') return before;
  const charge: Charge = {
    ...account.stored('charge', 'ch'),
    amount: intent.amount,
    amount_refunded: 0,
    currency: intent.currency,
    customer: intent.customer,
    disputed: false,
    refunded: false,
    paid: false,
    status,
    payment_intent: intent.id,
    payment_method: intent.payment_method,
    failure_code: null,
    metadata: intent.metadata,
  };
  account.charges.set(charge.id, charge);
  intent.latest_charge = charge.id;
  return charge;
}

/** https://docs.stripe.com/declines/codes: lack of money is a `decline_code`, the others are a `code` of their own. */
function reasonOf(card: PaymentMethod, outcome: CardBehaviour): DeclineReason {
  const known = {
    expired_card: ['expired_card', 'expired_card', 'Your card has expired.'],
    insufficient_funds: ['card_declined', 'insufficient_funds', 'Your card has insufficient funds.'],
    authentication_required: [
      'authentication_required',
      'authentication_required',
      'Your card was declined. This transaction requires authentication.',
    ],
  } as const;
  const [code, decline_code, message] =
    outcome in known
      ? known[outcome as keyof typeof known]
      : ['card_declined', 'generic_decline', 'Your card was declined.'];
  return { type: 'card_error', code, decline_code, message, payment_method: { id: card.id } };
}

function unexpectedState(intent: Intent, verb: string): StripeFailure {
  return new StripeFailure(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message: `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    payment_intent: structuredClone(intent),
  });
}
