import { type Failure, type FailureCode, STATUS_OF } from '../../contract/errors.ts';
import type { JsonObject } from '../calls/call.ts';
import { type ErrorFormat, needsPayment } from '../calls/error-format.ts';
import { addNextStep, buildPaymentLink, buildSignUpLinks, type Shop } from '../calls/payment-required.ts';

/** Clients of this shape read 432 as "out of credits" and drop the text of a 402. */
const PAYMENT_REQUIRED = 432;

/** Failures whose message the second shape appends to the code. */
const EXPLAINED: ReadonlySet<FailureCode> = new Set(['validation_error', 'rate_limited', 'expired_api_key']);

/** `{detail: {error}}`: the code, followed by the message if a person needs it. */
export const secondShapeFormat: ErrorFormat = {
  statusOf: (code) => (needsPayment(code) ? PAYMENT_REQUIRED : STATUS_OF[code]),
  word(failure, shop) {
    const { code, message } = failure;
    if (needsPayment(code)) {
      const text = `${code}: ${addNextStep(failure, shop)}`;
      return {
        status: PAYMENT_REQUIRED,
        statusMessage: 'Payment Required',
        headers: { 'X-Payment-URL': buildPaymentLink(shop) },
        body: {
          detail: { error: text },
          ...(code === 'keyless_limit' ? { error: buildKeylessEnvelope(text, { failure, shop }) } : {}),
        },
      };
    }
    return {
      status: STATUS_OF[code],
      headers: {},
      body: {
        detail: { error: EXPLAINED.has(code) ? `${code}: ${message}` : describeBriefly(failure, shop) },
      },
    };
  },
};

/** Returns only the code, unless the caller has to get a key first. */
function describeBriefly(failure: Failure, shop: Shop): string {
  return failure.keyMissing ? `${failure.code}: ${addNextStep(failure, shop)}` : failure.code;
}

/** Builds a second form of the keyless limit, which this shape's clients turn into their own error type; never sent to a key. */
function buildKeylessEnvelope(
  message: string,
  { failure, shop }: { failure: Failure; shop: Shop },
): JsonObject {
  return {
    code: 'keyless_limit',
    message,
    window: 'day',
    retry_after_seconds: failure.retryAfterSeconds,
    next_actions: buildSignUpLinks(shop),
  };
}
