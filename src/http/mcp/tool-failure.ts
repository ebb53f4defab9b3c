import type { Failure, FailureCode } from '../../contract/errors.ts';
import { cardLink, paymentLink, type Shop } from '../calls/payment-required.ts';
import { snakeName } from './arguments.ts';

type Circumstances = Shop & { requestId: string };

/** What the agent should do next, for each failure it can do something about. */
const NEXT: Partial<Record<FailureCode, string>> = {
  url_not_allowed: 'Only public http(s) pages can be read; do not retry this address.',
  validation_error: 'Fix the argument and call again.',
  rate_limited: 'Nothing was charged.',
  fetch_failed: 'Try another address, or search for the topic. Nothing was charged.',
  request_timeout: 'Ask for less, or retry once. Nothing was charged.',
  recall_unavailable: 'Wait a few seconds and retry. Nothing was charged.',
  overloaded: 'Wait a few seconds and retry. Nothing was charged.',
  payment_unavailable: 'Wait a minute and retry.',
  not_found: 'Use another tool.',
};

/** Words a route's failure for an agent: what happened, and what to do about it. */
export function wordForAgent(failure: Failure, { requestId, ...shop }: Circumstances): string {
  const { code, fields, retryAfterSeconds } = failure;
  switch (code) {
    case 'keyless_limit':
    case 'insufficient_credits':
      return paymentText(failure, shop);
    case 'invalid_api_key':
      return `invalid_api_key: ${failure.message} Set the key as "Authorization: Bearer <key>" (over stdio: SANDERLING_API_KEY) where this server is configured. Search and reading also work without a key. For a free key: POST ${shop.baseUrl}/v1/keys/free`;
    case 'expired_api_key':
      return `expired_api_key: ${failure.message} Ask the user for a new key. Search and reading also work without a key.`;
    case 'no_payment_method':
      return `no_payment_method: ${failure.message} Show the user this link to buy a pack and save the card: ${cardLink(shop, failure)}`;
    case 'validation_error': {
      const named = fields.map(({ field, message }) => `${argumentName(field)} ${message}`).join('; ');
      return `validation_error: ${named || failure.message}. ${NEXT.validation_error}`;
    }
    case 'internal':
      return `internal: Something went wrong in the service (request ${requestId}); nothing was charged. Retry once, then continue without it.`;
    default: {
      const wait = retryAfterSeconds === null ? '' : ` Retry after ${retryAfterSeconds} s.`;
      return [`${code}: ${failure.message}${wait}`, NEXT[code] ?? ''].join(' ').trim();
    }
  }
}

function paymentText({ code, message }: Failure, shop: Shop): string {
  const free =
    code === 'keyless_limit'
      ? ` Or claim a free key: POST ${shop.baseUrl}/v1/keys/free and set it as "Authorization: Bearer <key>" where this server is configured.`
      : '';
  return `payment_required (${code}): ${message} Show the user this link to buy credits, and stop calling until then: ${paymentLink(shop)}${free}`;
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
