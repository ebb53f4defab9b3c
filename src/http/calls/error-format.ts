import type { IncomingHttpHeaders } from 'node:http';
import { type Failure, type FailureCode, type FieldProblem, STATUS_OF } from '../../contract/errors.ts';
import type { Answer, JsonObject } from './call.ts';
import {
  addCardLink,
  addNextStep,
  buildPaymentLink,
  buildPaymentOffer,
  type Shop,
} from './payment-required.ts';

/** Context that an error format may need besides the failure. */
type FailureContext = Shop & {
  requestId: string;
};

export type FailureResponse = {
  status: number;
  /** Set where the status has no standard reason phrase. */
  statusMessage?: string;
  headers: Record<string, string>;
  body: Answer['body'];
};

/** Error wording of one API shape, and its status for each code. */
export type ErrorFormat = {
  statusOf(code: FailureCode): number;
  word(failure: Failure, circumstances: FailureContext): FailureResponse;
};

/** Returns true if buying credits resolves the failure. */
export const needsPayment = (code: FailureCode): boolean => STATUS_OF[code] === 402;

/** `{error, message, requestId}`, plus `details` for invalid fields and the payment offer when the caller is out of credits. */
export const firstShapeFormat: ErrorFormat = {
  statusOf: (code) => STATUS_OF[code],
  word(failure, { requestId, ...shop }) {
    const { code, fields } = failure;
    const status = STATUS_OF[code];
    if (needsPayment(failure.code)) {
      const { checkout_url, ...offer } = buildPaymentOffer(shop);
      const message = addNextStep(failure, shop);
      return {
        status,
        headers: { 'X-Payment-URL': checkout_url },
        body: {
          error: code,
          message,
          checkout_url,
          ...offer,
          ...(failure.isDisputed ? stripPurchase(offer, message) : {}),
          requestId,
        },
      };
    }
    return {
      status,
      headers: {},
      body: {
        error: code,
        ...(code === 'internal' ? {} : { message: buildMessage(failure, shop) }),
        ...(code === 'validation_error' ? { details: fields } : {}),
        requestId,
      },
    };
  },
};

/** Removes the offer from a failure that a purchase cannot resolve: the promised fields stay, without packs to buy. */
function stripPurchase({ action }: JsonObject, message: string): JsonObject {
  return { packs: [], action: { ...(action as JsonObject), prompt_to_user: message } };
}

/** The content of a failure's body in shapes that use one body for all failures. */
type FailureSummary = {
  code: FailureCode;
  status: number;
  text: string;
  fields: FieldProblem[];
  /** Reason why a page could not be read; null for other failures. */
  fetch: Failure['fetch'];
  requestId: string;
};

/**
 * Creates the format of a shape that words every failure in one body, by default with the statuses of the first shape. The text contains a
 * link if the caller needs credits, a key or a card; the text of an unexpected failure reveals nothing.
 */
export function createErrorFormat(
  bodyOf: (said: FailureSummary) => JsonObject,
  statusOf: ErrorFormat['statusOf'] = (code) => STATUS_OF[code],
): ErrorFormat {
  return {
    statusOf,
    word(failure, { requestId, ...shop }) {
      const { code, fields, fetch } = failure;
      const isUnpaid = needsPayment(code);
      const status = statusOf(code);
      const text = isUnpaid ? addNextStep(failure, shop) : buildMessage(failure, shop);
      return {
        status,
        headers: isUnpaid ? { 'X-Payment-URL': buildPaymentLink(shop) } : {},
        body: bodyOf({ code, status, text, fields, fetch, requestId }),
      };
    },
  };
}

/** Returns the message, with a link if the caller has to get a key or save a card first. */
function buildMessage(failure: Failure, shop: Shop): string {
  if (failure.keyMissing) return addNextStep(failure, shop);
  return failure.code === 'no_payment_method' ? addCardLink(failure, shop) : failure.message;
}

/** Returns true if the client is a browser: programs accept JSON or anything. */
export function wantsHtml({ accept }: IncomingHttpHeaders): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*[,;]|\s*$))/i.test(accept ?? '');
}
