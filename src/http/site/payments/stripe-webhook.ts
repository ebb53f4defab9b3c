import type { PaymentInbox } from '../../../billing/payments/payment-inbox.ts';
import {
  BadSignature,
  type PaymentEvent,
  type PaymentProvider,
} from '../../../billing/payments/providers/payment-provider.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Background } from '../../../platform/background.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Answer, Call } from '../../calls/call.ts';

/**
 * Handles POST /webhooks/stripe: stores an event with a valid signature, answers, and then handles it. Error: 400 bad_signature; on
 * any other error the provider delivers the event again.
 */
export function createStripeWebhookHandler(deps: {
  provider: Pick<PaymentProvider, 'readEvent'>;
  inbox: PaymentInbox;
  background: Background;
  clock: Clock;
}): (call: Call) => Promise<Answer> {
  return async ({ bytes, headers }) => {
    const signature = headers['stripe-signature'];
    const event = readEvent(deps, { bytes, signature: Array.isArray(signature) ? undefined : signature });
    if (await deps.inbox.take(event)) deps.background.run('payment event', () => deps.inbox.handle(event.id));
    return { body: { received: true } };
  };
}

function readEvent(
  { provider, clock }: { provider: Pick<PaymentProvider, 'readEvent'>; clock: Clock },
  { bytes, signature }: { bytes: Uint8Array; signature: string | undefined },
): PaymentEvent {
  try {
    return provider.readEvent({ body: bytes, signature, now: clock.now() });
  } catch (cause) {
    if (cause instanceof BadSignature)
      throw new Failure('bad_signature', 'The signature of this webhook is invalid.', { cause });
    throw cause;
  }
}
