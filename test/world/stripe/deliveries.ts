import { createHmac } from 'node:crypto';
import type { Clock } from '../../../src/platform/clock.ts';
import type { StripeEvent } from './objects.ts';

/** How events travel from now on. */
export type DeliveryRules = {
  /** Events that are never sent. */
  drop(event: StripeEvent): boolean;
  /** Every event is sent so many times. */
  copies: number;
  delayMs: number;
  order: 'kept' | 'reversed' | { seed: number };
};

export type Sending = { event: string; type: string; status: number | null };

export type Deliveries = {
  /** Where events go from now on, and what signs them. */
  register(endpoint: { url: string; secret: string }): void;
  rules(changed: Partial<DeliveryRules>): void;
  /** Sends what is due by the clock, once each; what is refused is due again later. Gives what was sent. */
  deliver(): Promise<Sending[]>;
  /** Sends at once whatever comes, without being asked. */
  automatic(isWanted: boolean): void;
  /** Waits until nothing is on its way. */
  settled(): Promise<void>;
  /** Sends an event again, as it was: signed now, or with another secret, or at another time. */
  replay(eventId: string, how?: { secret?: string; signedAt?: number }): Promise<Sending>;
  /** Those that wait, due or not. */
  waiting(): number;
  /** Takes in an event. */
  take(event: StripeEvent): void;
};

type Due = { event: StripeEvent; at: number; tries: number };

/** Between one refusal and the next try. After the last Stripe gives up: three days in all. */
const PAUSES_MS = [5, 30, 120, 300, 600, 600, 600, 600, 600, 600].map((minutes) => minutes * 60_000);
const SEND_MS = 10_000;

export function createDeliveries(clock: Clock, eventOf: (id: string) => StripeEvent): Deliveries {
  let endpoint: { url: string; secret: string } | null = null;
  let rules: DeliveryRules = { drop: () => false, copies: 1, delayMs: 0, order: 'kept' };
  let queue: Due[] = [];
  let underWay: Promise<unknown> = Promise.resolve();
  let isAutomatic = false;

  const send = async (
    event: StripeEvent,
    how: { secret?: string; signedAt?: number } = {},
  ): Promise<Sending> => {
    const { url, secret } = endpoint ?? { url: '', secret: '' };
    const body = JSON.stringify(event);
    const signature = signatureOf({
      body,
      secret: how.secret ?? secret,
      at: how.signedAt ?? clock.now(),
    });
    const status = await post(url, { body, signature });
    return { event: event.id, type: event.type, status };
  };

  const deliver = async (): Promise<Sending[]> => {
    const now = clock.now();
    const due = inOrder(
      queue.filter(({ at }) => at <= now),
      rules.order,
    );
    queue = queue.filter(({ at }) => at > now);
    const sent: Sending[] = [];
    for (const { event, tries } of due) {
      const sending = await send(event);
      sent.push(sending);
      const pause = PAUSES_MS[tries];
      const isTaken = sending.status !== null && sending.status >= 200 && sending.status < 300;
      if (!isTaken && pause !== undefined) queue.push({ event, at: now + pause, tries: tries + 1 });
    }
    return sent;
  };

  return {
    register: (wanted) => {
      endpoint = wanted;
    },
    rules: (changed) => {
      rules = { ...rules, ...changed };
    },
    deliver,
    automatic: (isWanted) => {
      isAutomatic = isWanted;
    },
    async settled() {
      for (let seen: unknown = null; seen !== underWay; ) {
        seen = underWay;
        await underWay;
      }
    },
    replay: (id, how) => send(eventOf(id), how),
    waiting: () => queue.length,
    take(event) {
      if (endpoint === null || rules.drop(event)) return;
      const at = clock.now() + rules.delayMs;
      for (let copy = 0; copy < rules.copies; copy++) queue.push({ event, at, tries: 0 });
      if (isAutomatic) underWay = underWay.then(deliver);
    },
  };
}

/** `t=<seconds>,v1=<hmac>` over `<seconds>.<body>` (https://docs.stripe.com/webhooks/signature). */
export function signatureOf({ body, secret, at }: { body: string; secret: string; at: number }): string {
  const seconds = Math.floor(at / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

function inOrder(due: Due[], order: DeliveryRules['order']): Due[] {
  if (order === 'kept') return due;
  if (order === 'reversed') return due.toReversed();
  const random = randomFrom(order.seed);
  return due
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

/** A linear congruential generator: good enough to shuffle, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function post(
  url: string,
  { body, signature }: { body: string; signature: string },
): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
      body,
      signal: AbortSignal.timeout(SEND_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    // Nobody there, or no answer: it is tried again like a refusal.
    return null;
  }
}
