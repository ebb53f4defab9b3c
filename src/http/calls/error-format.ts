import { type Failure, type FailureCode, STATUS_OF } from '../../contract/errors.ts';
import type { Answer, JsonObject } from './call.ts';
import {
  paymentLink,
  paymentOffer,
  type Shop,
  signUpLinks,
  withCardLink,
  withNextStep,
} from './payment-required.ts';

/** Context that an error format may need besides the failure. */
type Circumstances = Shop & {
  requestId: string;
};

export type WordedFailure = {
  status: number;
  /** Set where the status has no standard reason phrase. */
  statusMessage?: string;
  headers: Record<string, string>;
  body: Answer['body'];
};

/** How one API shape words a failure. */
export type ErrorFormat = { word(failure: Failure, circumstances: Circumstances): WordedFailure };

const PAYMENT_REQUIRED = 402;
/** Clients of the second shape read 432 as "out of credits" and drop the text of a 402. */
const SECOND_SHAPE_PAYMENT_REQUIRED = 432;

const needsPayment = ({ code }: Failure): boolean => STATUS_OF[code] === PAYMENT_REQUIRED;

/** `{error, message, requestId}`, plus `details` for invalid fields and the payment offer when the caller is out of credits. */
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
          message: withNextStep(failure, shop),
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
        ...(code === 'internal' ? {} : { message: messageOf(failure, shop) }),
        ...(code === 'validation_error' ? { details: fields } : {}),
        requestId,
      },
    };
  },
};

/** Failures whose text the second shape adds to the code. */
const EXPLAINED: ReadonlySet<FailureCode> = new Set(['validation_error', 'rate_limited', 'expired_api_key']);

/** `{detail: {error}}`: the code, followed by any text that a person needs. */
export const secondShape: ErrorFormat = {
  word(failure, shop) {
    const { code, message } = failure;
    if (needsPayment(failure)) {
      const text = `${code}: ${withNextStep(failure, shop)}`;
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
      body: { detail: { error: EXPLAINED.has(code) ? `${code}: ${message}` : shortly(failure, shop) } },
    };
  },
};

/** The code alone, unless the caller has to get a key first. */
function shortly(failure: Failure, shop: Shop): string {
  return failure.keyMissing ? `${failure.code}: ${withNextStep(failure, shop)}` : failure.code;
}

/** The message, with a link where the caller has to get a key or a card first. */
function messageOf(failure: Failure, shop: Shop): string {
  if (failure.keyMissing) return withNextStep(failure, shop);
  return failure.code === 'no_payment_method' ? withCardLink(failure, shop) : failure.message;
}

/** A second form of the limit that this shape's clients turn into their own error type; never sent to a key. */
function keylessEnvelope(message: string, { failure, shop }: { failure: Failure; shop: Shop }): JsonObject {
  return {
    code: 'keyless_limit',
    message,
    window: 'day',
    retry_after_seconds: failure.retryAfterSeconds,
    next_actions: signUpLinks(shop),
  };
}

/** JSON-RPC codes; every other failure is a server error. */
const SERVER_ERROR = -32_000;
const CODES: Partial<Record<FailureCode, number>> = { validation_error: -32_600, internal: -32_603 };
/** The MCP transport returns 400 for a message that it cannot parse. */
const BAD_REQUEST = 400;

/** A failure before any message was parsed: a JSON-RPC error with a null id. */
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

/** The error format for a normalised path: the second shape under `/shapeB`, JSON-RPC on `/mcp`, the first shape elsewhere. */
export function errorFormatOf(path: string): ErrorFormat {
  if (/^\/mcp(?:[?]|$)/.test(path)) return protocolErrorFormat;
  return /^\/shapeB(?:[/?]|$)/.test(path) ? secondShape : firstShape;
}
