import { addCard, createCustomer } from './cards.ts';
import { invalid, missing } from './failure.ts';
import type { Params } from './form.ts';
import { addIntent, decline, process, settleProcessing, succeed } from './intents.ts';
import type { Account, CardBehaviour, Intent, PaymentMethod, Session } from './objects.ts';

const DAY_S = 86_400;
const HALF_HOUR_S = 1_800;
const TERMS_CHARS_MAX = 1_200;
const REFERENCE = /^[\w-]{1,200}$/;

export function createSession(account: Account, params: Params): Session {
  const created = account.stored('checkout.session', 'cs');
  const message = params.text('custom_text.submit.message');
  const session: Session = {
    ...created,
    mode: 'payment',
    status: 'open',
    payment_status: 'unpaid',
    amount_total: totalOf(params),
    currency: params.text('line_items.0.price_data.currency') ?? '',
    client_reference_id: params.text('client_reference_id'),
    customer: null,
    customer_creation: params.text('customer_creation') === 'always' ? 'always' : 'if_required',
    payment_intent: null,
    metadata: params.under('metadata'),
    success_url: params.text('success_url') ?? '',
    cancel_url: params.text('cancel_url'),
    expires_at: params.whole('expires_at') ?? created.created + DAY_S,
    url: `${account.origin}/c/pay/${created.id}`,
    custom_text: { submit: message === null ? null : { message } },
  };
  check(session);
  account.sessions.set(session.id, session);
  account.plans.set(session.id, {
    metadata: params.under('payment_intent_data.metadata'),
    setup_future_usage:
      params.text('payment_intent_data.setup_future_usage') === 'off_session' ? 'off_session' : null,
  });
  return session;
}

function totalOf(params: Params): number {
  const price = params.whole('line_items.0.price_data.unit_amount');
  const quantity = params.whole('line_items.0.quantity');
  if (price === null || quantity === null)
    throw invalid('A line item needs a price and a quantity.', {
      code: 'parameter_missing',
      param: 'line_items',
    });
  return price * quantity;
}

function check(session: Session): void {
  const { created, expires_at, client_reference_id, success_url, cancel_url } = session;
  if (expires_at < created + HALF_HOUR_S || expires_at > created + DAY_S)
    throw invalid('The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', {
      param: 'expires_at',
    });
  if (client_reference_id !== null && !REFERENCE.test(client_reference_id))
    throw invalid('The reference is too long, or has other signs than letters, digits, - and _.', {
      param: 'client_reference_id',
    });
  if ((session.custom_text.submit?.message ?? '').length > TERMS_CHARS_MAX)
    throw invalid('The text is too long.', { param: 'custom_text[submit][message]' });
  if (session.currency !== 'usd')
    throw invalid(`Invalid currency: ${session.currency}`, { param: 'line_items[0][price_data][currency]' });
  for (const [param, url] of Object.entries({ success_url, cancel_url })) {
    if (url !== null && !URL.canParse(url))
      throw invalid(`Not a valid URL: ${url}`, { code: 'url_invalid', param });
  }
}

/** A session that nobody paid is over at its hour. */
export function sessionOf(account: Account, id: string): Session {
  const session = account.sessions.get(id);
  if (session === undefined) throw missing('checkout.session', id, 'session');
  if (session.status === 'open' && session.expires_at * 1_000 <= account.clock.now()) end(account, session);
  return session;
}

export function expireSession(account: Account, id: string): Session {
  const session = openSessionOf(account, id);
  end(account, session);
  return session;
}

function end(account: Account, session: Session): void {
  session.status = 'expired';
  session.url = null;
  account.emit('checkout.session.expired', session);
}

/** What the buyer does on the hosted page; the card's behaviour is how it takes later charges. */
export type BuyerAction = 'pay' | 'fail' | 'expire' | 'pay_delayed';

export function act(account: Account, id: string, action: BuyerAction, behaviour: CardBehaviour): Session {
  if (action === 'expire') return expireSession(account, id);
  const session = openSessionOf(account, id);
  if (action !== 'fail' && session.customer === null && session.customer_creation === 'always')
    session.customer = createCustomer(account, null).id;
  const intent = intentFor(account, session);
  const card = cardFor(account, session, { intent, behaviour });
  if (action === 'fail') {
    decline(account, intent, { card, outcome: 'card_declined' });
    return session;
  }
  session.status = 'complete';
  session.url = null;
  if (action === 'pay') {
    succeed(account, intent);
    session.payment_status = 'paid';
  } else process(account, intent);
  account.emit('checkout.session.completed', session);
  return session;
}

/** A delayed payment, or one that was under way, comes to its end. */
export function settleDelayed(account: Account, intentId: string, outcome: 'succeeded' | 'failed'): void {
  settleProcessing(account, intentId, outcome);
  const session = [...account.sessions.values()].find((one) => one.payment_intent === intentId);
  if (session === undefined) return;
  if (outcome === 'succeeded') session.payment_status = 'paid';
  account.emit(`checkout.session.async_payment_${outcome}`, session);
}

function openSessionOf(account: Account, id: string): Session {
  const session = sessionOf(account, id);
  if (session.status !== 'open')
    throw invalid(`Only Checkout Sessions with a status in ["open"] can be expired or paid: ${id}`);
  return session;
}

function intentFor(account: Account, session: Session): Intent {
  const before = account.intents.get(session.payment_intent ?? '');
  if (before !== undefined) {
    before.customer = session.customer;
    return before;
  }
  const plan = account.plans.get(session.id) ?? { metadata: {}, setup_future_usage: null };
  const intent = addIntent(account, {
    ...plan,
    amount: session.amount_total,
    currency: session.currency,
    customer: session.customer,
    payment_method: null,
  });
  session.payment_intent = intent.id;
  return intent;
}

/** The card stays with the customer only when it was to be kept and there is a customer. */
function cardFor(
  account: Account,
  { customer }: Session,
  { intent, behaviour }: { intent: Intent; behaviour: CardBehaviour },
): PaymentMethod {
  const isKept = intent.setup_future_usage !== null;
  const card = addCard(account, { behaviour, customer: isKept ? customer : null });
  intent.payment_method = card.id;
  return card;
}
