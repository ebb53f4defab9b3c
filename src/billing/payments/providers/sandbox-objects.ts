import { createHash } from 'node:crypto';
import { DAY_MS } from '../../../platform/clock.ts';
import type { ChargeOrder, ChargeState, CheckoutOrder, CheckoutState } from './payment-provider.ts';

/** A payment page of the sandbox, in place of the object that a real provider would store. No money moves. */
export type CheckoutBody = {
  wanted: CheckoutOrder;
  description: string;
  state: 'open' | 'paid';
  createdAt: number;
  lastError: string | null;
};

export type ChargeBody = {
  wanted: Pick<ChargeOrder, 'cents'> & { customer: string | null; card: string | null };
  description: string;
  state: 'prepared' | 'succeeded' | 'declined' | 'canceled';
  declineCode: string | null;
  createdAt: number;
};

export type CardBody = { customer: string; laterCharges: 'succeed' | 'are declined' };

const CHECKOUT_OPEN_MS = DAY_MS;
const SANDBOX_CARD = { brand: 'sandbox', last4: '4242' };
const AUTHENTICATION = 'authentication_required';

export const DECLINED = 'card_declined';

/** Derives the ids of a reference's objects, so that they can be found without a lookup. */
export function deriveSandboxIds(
  reference: string,
): Record<'checkout' | 'charge' | 'customer' | 'card', string> {
  const tail = createHash('sha256').update(reference).digest('hex').slice(0, 24);
  return {
    checkout: `sbx_co_${tail}`,
    charge: `sbx_ch_${tail}`,
    customer: `sbx_cus_${tail}`,
    card: `sbx_card_${tail}`,
  };
}

export function createCheckoutBody(wanted: CheckoutOrder, now: number): CheckoutBody {
  const description = `Sandbox, no real payment: ${wanted.credits.toLocaleString('en')} credits`;
  return { wanted, description, state: 'open', createdAt: now, lastError: null };
}

export function createChargeBody(
  wanted: ChargeBody['wanted'],
  { state, now }: { state: 'prepared' | 'succeeded'; now: number },
): ChargeBody {
  const description = 'Sandbox, no real charge';
  return { wanted, description, state, declineCode: null, createdAt: now };
}

/** Computes the state of a page. It expires after a day, like that of a real provider. */
export function computePageState(
  { state, createdAt }: CheckoutBody,
  now: number,
): 'open' | 'paid' | 'expired' {
  return state === 'open' && createdAt + CHECKOUT_OPEN_MS <= now ? 'expired' : state;
}

/** Returns an open page as it is after the buyer's action. */
export function applyAction(checkout: CheckoutBody, action: SandboxAction): CheckoutBody {
  if (action === 'leave') return checkout;
  if (action === 'decline') return { ...checkout, lastError: DECLINED };
  if (action === 'authenticate' && checkout.lastError !== AUTHENTICATION)
    return { ...checkout, lastError: AUTHENTICATION };
  return { ...checkout, state: 'paid', lastError: null };
}

export function toCheckoutState(checkout: CheckoutBody, now: number): CheckoutState {
  const { reference, cents, saveCard } = checkout.wanted;
  const ids = deriveSandboxIds(reference);
  const state = computePageState(checkout, now);
  const isKept = state === 'paid' && saveCard !== null;
  return {
    id: ids.checkout,
    reference,
    state,
    cents,
    currency: 'usd',
    charge: state === 'paid' ? ids.charge : null,
    customer: isKept ? ids.customer : null,
    card: isKept ? ids.card : null,
    paidBy: state === 'paid' ? SANDBOX_CARD : null,
  };
}

export function toChargeState(reference: string, charge: ChargeBody): ChargeState {
  return {
    id: deriveSandboxIds(reference).charge,
    reference,
    state: charge.state,
    declineCode: charge.declineCode,
    cents: charge.wanted.cents,
    refundedCents: 0,
    lostCents: 0,
    dispute: 'none',
  };
}

/** A buyer's action on the sandbox's payment page. */
export type SandboxAction = 'pay' | 'pay-later-declined' | 'decline' | 'authenticate' | 'leave';

export type SandboxCheckout = {
  id: string;
  state: 'open' | 'paid' | 'expired';
  cents: number;
  description: string;
  /** Shown if the card is to be saved. */
  terms: string | null;
  /** The error of the last attempt, shown on the page. */
  lastError: string | null;
};

/** The sandbox's own payment page. */
export type SandboxPage = {
  get(id: string): Promise<SandboxCheckout | null>;
  /** Applies an action. Resolves to the next URL, the success page or the home page, or null to show the page again. */
  act(id: string, action: SandboxAction): Promise<{ goTo: string | null }>;
};
