import type { Failure, FailureCode } from '../../contract/errors.ts';
import {
  cardLink,
  paymentLink,
  type Shop,
  sells,
  withCardLink,
  withNextStep,
} from '../calls/payment-required.ts';
import { snakeName } from './arguments.ts';

type Circumstances = Shop & { requestId: string };

/** What the agent should do next, for each failure it can do something about. */
const NEXT: Partial<Record<FailureCode, string>> = {
  url_not_allowed: 'Only public http(s) pages can be read; do not retry this address.',
  validation_error: 'Fix the argument and call again.',
  fetch_failed: 'Try another address, or search for the topic.',
  request_timeout: 'Ask for less, or retry once.',
  recall_unavailable: 'Wait a few seconds and retry.',
  overloaded: 'Wait a few seconds and retry.',
  payment_unavailable: 'Wait a minute and retry.',
  not_found: 'Use another tool.',
};

/** Failures after which an agent may wonder what the call cost. */
const NOT_CHARGED: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'fetch_failed',
  'request_timeout',
  'recall_unavailable',
  'overloaded',
]);

/** Words a route's failure for an agent: what happened, and what to do about it. */
export function wordForAgent(failure: Failure, { requestId, ...shop }: Circumstances): string {
  const { code, fields, retryAfterSeconds } = failure;
  const isMetered = shop.terms !== null;
  switch (code) {
    case 'keyless_limit':
    case 'insufficient_credits':
      return paymentText(failure, shop);
    case 'invalid_api_key':
      return `invalid_api_key: ${keyText(failure, shop)}`;
    case 'expired_api_key':
      return `expired_api_key: ${failure.message} Ask the user for a new key.${keylessText(shop)}`;
    case 'no_payment_method':
      return `no_payment_method: ${cardText(failure, shop)}`;
    case 'validation_error': {
      const named = fields.map(({ field, message }) => `${argumentName(field)} ${message}`).join('; ');
      return `validation_error: ${named || failure.message}. ${NEXT.validation_error}`;
    }
    case 'internal':
      return `internal: Something went wrong in the service (request ${requestId})${isMetered ? '; nothing was charged' : ''}. Retry once, then continue without it.`;
    default: {
      const wait = retryAfterSeconds === null ? '' : ` Retry after ${retryAfterSeconds} s.`;
      const charge = isMetered && NOT_CHARGED.has(code) ? 'Nothing was charged.' : '';
      const parts = [`${code}: ${failure.message}${wait}`, NEXT[code] ?? '', charge];
      return parts.filter((part) => part !== '').join(' ');
    }
  }
}
function paymentText(failure: Failure, shop: Shop): string {
  const { code, message } = failure;
  if (!sells(shop))
    return `payment_required (${code}): ${withNextStep(failure, shop)} Stop calling until then.`;
  const free =
    code === 'keyless_limit' && shop.terms?.freeKeys
      ? ` Or claim a free key: POST ${shop.baseUrl}/v1/keys/free and set it as "Authorization: Bearer <key>" where this server is configured.`
      : '';
  return `payment_required (${code}): ${message} Show the user this link to buy credits, and stop calling until then: ${paymentLink(shop)}${free}`;
}

const SET_KEY =
  'Set the key as "Authorization: Bearer <key>" (over stdio: SANDERLING_API_KEY) where this server is configured.';

function keyText(failure: Failure, shop: Shop): string {
  if (failure.keyMissing) return `${withNextStep(failure, shop)} ${SET_KEY}`;
  const free = shop.terms?.freeKeys ? ` For a free key: POST ${shop.baseUrl}/v1/keys/free` : '';
  return `${failure.message} ${SET_KEY}${keylessText(shop)}${free}`;
}

function keylessText({ terms }: Shop): string {
  return terms?.keylessPerDay === 0 ? '' : ' Search and reading also work without a key.';
}

function cardText(failure: Failure, shop: Shop): string {
  if (!sells(shop)) return withCardLink(failure, shop);
  return `${failure.message} Show the user this link to buy a pack and save the card: ${cardLink(shop, failure)}`;
}

/** Route fields whose tool argument has another name. */
const ARGUMENT_OF_FIELD: Record<string, string> = {
  num_results: 'max_results',
  start_published_date: 'start_date',
  end_published_date: 'end_date',
  max_tokens: 'max_tokens',
};

/** `numResults` -> `max_results`, `urls[2]` -> `urls[2]`. */
function argumentName(field: string): string {
  const name = snakeName(field);
  return ARGUMENT_OF_FIELD[name] ?? name;
}
