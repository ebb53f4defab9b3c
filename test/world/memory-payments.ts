import {
  BadSignature,
  type ChargeState,
  type CheckoutState,
  type PaymentEvent,
  type PaymentProvider,
  PaymentUncertain,
} from '../../src/billing/payments.ts';

/** A payment provider in memory that keeps its word and fails on demand; its journal is the oracle. */
export type MemoryPayments = PaymentProvider & {
  checkouts: Map<string, CheckoutState>;
  charges: Map<string, ChargeState>;
  /** What the next confirmations come to; 'succeeded' when there is none. */
  script: ('succeeded' | 'processing' | { decline: string })[];
  /** Loses the reply of the next call of a name, after it was carried out. */
  loseReplyOf: Set<keyof PaymentProvider>;
  /** Calls so far, by name. */
  calls: string[];
  pay(checkoutId: string, outcome?: 'paid' | 'awaiting' | 'expired'): void;
};

export function memoryPayments(): MemoryPayments {
  const checkouts = new Map<string, CheckoutState>();
  const charges = new Map<string, ChargeState>();
  const byReference = new Map<string, string>();
  const script: MemoryPayments['script'] = [];
  const loseReplyOf: MemoryPayments['loseReplyOf'] = new Set();
  const calls: string[] = [];
  const replying = <T>(name: keyof PaymentProvider, value: T): T => {
    calls.push(name);
    if (loseReplyOf.delete(name)) throw new PaymentUncertain(`the reply of ${name} was lost`);
    return value;
  };
  const charge = (id: string): ChargeState => {
    const known = charges.get(id);
    if (known === undefined) throw new Error(`no charge ${id}`);
    return known;
  };
  const once = (reference: string, make: () => string): string => {
    const id = byReference.get(reference) ?? make();
    byReference.set(reference, id);
    return id;
  };
  return {
    name: 'sandbox',
    checkouts,
    charges,
    script,
    loseReplyOf,
    calls,
    async openCheckout({ reference, cents }) {
      const id = once(reference, () => {
        const made = `cs_${checkouts.size + 1}`;
        checkouts.set(made, {
          ...{ id: made, reference, state: 'open', cents, currency: 'usd' },
          ...{ charge: null, customer: null, card: null },
        });
        return made;
      });
      return replying('openCheckout', { id, url: `https://pay.example.org/${id}` });
    },
    async getCheckout(id) {
      const known = checkouts.get(id);
      if (known === undefined) throw new Error(`no checkout ${id}`);
      return replying('getCheckout', { ...known });
    },
    pay(id, outcome = 'paid') {
      const known = checkouts.get(id);
      if (known === undefined) throw new Error(`no checkout ${id}`);
      if (outcome !== 'paid') {
        known.state = outcome;
        return;
      }
      const made = `pi_${charges.size + 1}`;
      const { reference, cents } = known;
      charges.set(made, {
        ...{ id: made, reference, state: 'succeeded', declineCode: null, cents, refundedCents: 0 },
        dispute: 'none',
      });
      Object.assign(known, { state: 'paid', charge: made, customer: `cus_${id}`, card: `pm_${id}` });
    },
    async prepareCharge({ reference, cents }) {
      const id = once(reference, () => {
        const made = `pi_${charges.size + 1}`;
        charges.set(made, {
          ...{ id: made, reference, state: 'prepared', declineCode: null, cents, refundedCents: 0 },
          dispute: 'none',
        });
        return made;
      });
      return replying('prepareCharge', { ...charge(id) });
    },
    async confirmCharge(id) {
      const known = charge(id);
      if (known.state === 'prepared' || known.state === 'declined') {
        const outcome = script.shift() ?? 'succeeded';
        if (typeof outcome === 'string') known.state = outcome;
        else Object.assign(known, { state: 'declined', declineCode: outcome.decline });
      }
      return replying('confirmCharge', { ...known });
    },
    getCharge: async (id) => replying('getCharge', { ...charge(id) }),
    async cancelCharge(id) {
      const known = charge(id);
      if (known.state !== 'succeeded') known.state = 'canceled';
      return replying('cancelCharge', { ...known });
    },
    async findCharge({ reference }) {
      const id = byReference.get(reference);
      return replying('findCharge', id === undefined ? null : { ...charge(id) });
    },
    readEvent({ body, signature }) {
      if (signature !== 'good') throw new BadSignature('wrong signature');
      // The test that sends it has made it.
      return JSON.parse(new TextDecoder().decode(body)) as PaymentEvent;
    },
    listEvents: async () => [],
  };
}
