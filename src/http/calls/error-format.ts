import { type Failure, type FailureCode, STATUS_OF } from '../../contract/errors.ts';
import type { Answer, JsonObject } from './call.ts';
import { cardLink, paymentLink, paymentOffer, type Shop, withPaymentLink } from './payment-required.ts';

/** What the wording of a failure may need beside it. */
type Circumstances = Shop & {
  requestId: string;
};

export type WordedFailure = {
  status: number;
  /** Where the status has no well-known reason phrase. */
  statusMessage?: string;
  headers: Record<string, string>;
  body: Answer['body'];
};

/** How a shape of the interface words a failure. */
export type ErrorFormat = { word(failure: Failure, circumstances: Circumstances): WordedFailure };

const PAYMENT_REQUIRED = 402;
/** The second shape's clients know 432 as "out of credits" and lose the text of a 402. */
const SECOND_SHAPE_PAYMENT_REQUIRED = 432;

const needsPayment = ({ code }: Failure): boolean => STATUS_OF[code] === PAYMENT_REQUIRED;

/** `{error, message, requestId}`, with `details` for fields that were refused and with the offer where credits are wanting. */
export const firstShape: ErrorFormat = {
  word(failure, { requestId, ...shop }) {
    const { code, fields } = failure;
    const status = STATUS_OF[code];
    if (needsPayment(failure)) {
      const { checkout_url, ...offer } = paymentOffer(shop);
      return {
        status,
        headers: { 'X-Payment-URL': checkout_url },
        body: {
          error: code,
          message: withPaymentLink(failure, shop),
          checkout_url,
          ...offer,
          requestId,
        },
      };
    }
    return {
      status,
      headers: {},
      body: {
        error: code,
        ...(code === 'internal' ? {} : { message: withCardLink(failure, shop) }),
        ...(code === 'validation_error' ? { details: fields } : {}),
        requestId,
      },
    };
  },
};

/** `{detail: {error}}`: the code as text; what a person must know stands behind it. */
export const secondShape: ErrorFormat = {
  word(failure, shop) {
    const { code, message } = failure;
    if (needsPayment(failure)) {
      const text = `${code}: ${withPaymentLink(failure, shop)}`;
      return {
        status: SECOND_SHAPE_PAYMENT_REQUIRED,
        statusMessage: 'Payment Required',
        headers: { 'X-Payment-URL': paymentLink(shop) },
        body: {
          detail: { error: text },
          ...(code === 'keyless_limit' ? { error: keylessEnvelope(text, { failure, shop }) } : {}),
        },
      };
    }
    return {
      status: STATUS_OF[code],
      headers: {},
      body: { detail: { error: code === 'validation_error' ? `${code}: ${message}` : code } },
    };
  },
};

/** Only a purchase that saves the card makes auto-reload possible. */
function withCardLink(failure: Failure, shop: Shop): string {
  return failure.code === 'no_payment_method'
    ? `${failure.message} Buy a pack and save the card at ${cardLink(shop, failure)}`
    : failure.message;
}

/** A second form of the limit that clients of the shape turn into an error of their own; it is never sent for a key. */
function keylessEnvelope(message: string, { failure, shop }: { failure: Failure; shop: Shop }): JsonObject {
  return {
    code: 'keyless_limit',
    message,
    window: 'day',
    retry_after_seconds: failure.retryAfterSeconds,
    next_actions: [{ type: 'signup', url: paymentLink(shop) }],
  };
}

/** Codes of JSON-RPC; every other failure is the server's own. */
const SERVER_ERROR = -32_000;
const CODES: Partial<Record<FailureCode, number>> = { validation_error: -32_600, internal: -32_603 };
/** The MCP transport answers 400 to what it cannot read. */
const BAD_REQUEST = 400;

/** A failure before the protocol has read a message: a JSON-RPC error that belongs to no request. */
const protocolErrorFormat: ErrorFormat = {
  word({ code, message }) {
    return {
      status: code === 'validation_error' ? BAD_REQUEST : STATUS_OF[code],
      headers: {},
      body: {
        jsonrpc: '2.0',
        error: { code: CODES[code] ?? SERVER_ERROR, message: `${code}: ${message}` },
        id: null,
      },
    };
  },
};

/** The shape of a normalised path: everything under `/shapeB` speaks the second, `/mcp` the protocol of tools. */
export function errorFormatOf(path: string): ErrorFormat {
  if (/^\/mcp(?:[?]|$)/.test(path)) return protocolErrorFormat;
  return /^\/shapeB(?:[/?]|$)/.test(path) ? secondShape : firstShape;
}
