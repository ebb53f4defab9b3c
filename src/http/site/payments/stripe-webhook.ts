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
 * POST /webhooks/stripe: an event with a good signature is kept and answered at once, and acted upon afterwards. Error: 400
 * bad_signature; anything else that goes wrong makes the provider deliver it again.
 */
export function stripeWebhookHandler(parts: {
  provider: Pick<PaymentProvider, 'readEvent'>;
  inbox: PaymentInbox;
  background: Background;
  clock: Clock;
}): (call: Call) => Promise<Answer> {
  return async ({ bytes, headers }) => {
    const signature = headers['stripe-signature'];
    const event = readEvent(parts, { bytes, signature: Array.isArray(signature) ? undefined : signature });
    if (await parts.inbox.take(event))
      parts.background.run('payment event', () => parts.inbox.handle(event.id));
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
      throw new Failure('bad_signature', 'The signature of this delivery is not good.', { cause });
    throw cause;
  }
}
