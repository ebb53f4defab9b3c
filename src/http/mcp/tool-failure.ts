import type { Failure, FailureCode } from '../../contract/errors.ts';
import { cardLink, paymentLink, type Shop } from '../calls/payment-required.ts';
import { snakeName } from './arguments.ts';

type Circumstances = Shop & { requestId: string };

/** What an agent does next, for each failure that it can do something about. */
const NEXT: Partial<Record<FailureCode, string>> = {
  url_not_allowed: 'Only public http(s) pages are read; do not try this address again.',
  validation_error: 'Mend the argument and call again.',
  fetch_failed: 'Try another address, or search for the topic. Nothing was charged.',
  request_timeout: 'Ask for less, or try once more. Nothing was charged.',
  recall_unavailable: 'Wait a few seconds and try again. Nothing was charged.',
  overloaded: 'Wait a few seconds and try again. Nothing was charged.',
  payment_unavailable: 'Wait a minute and try again.',
  not_found: 'This server does not offer it; use another tool.',
};

/** A failure of a route in words for an agent: what happened, and what to do about it. */
export function wordForAgent(failure: Failure, { requestId, ...shop }: Circumstances): string {
  const { code, fields, retryAfterSeconds } = failure;
  switch (code) {
    case 'keyless_limit':
    case 'insufficient_credits':
      return paymentText(failure, shop);
    case 'invalid_api_key':
      return `invalid_api_key: ${failure.message} Set the key as "Authorization: Bearer <key>" (over stdio: SANDERLING_API_KEY) where this server is configured. Search and reading also work without any key. A free key: POST ${shop.baseUrl}/v1/keys/free`;
    case 'no_payment_method':
      return `no_payment_method: ${failure.message} Show the user this link to buy a pack and save the card: ${cardLink(shop, failure)}`;
    case 'validation_error': {
      const named = fields.map(({ field, message }) => `${argumentName(field)} ${message}`).join('; ');
      return `validation_error: ${named || failure.message}. ${NEXT.validation_error}`;
    }
    case 'internal':
      return `internal: Something went wrong in the service (request ${requestId}); nothing was charged. Try once more, then go on without it.`;
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

/** Names of the route that differ from those of the tools by more than their spelling. */
const TOLD_AS: Record<string, string> = {
  num_results: 'max_results',
  start_published_date: 'start_date',
  end_published_date: 'end_date',
  max_tokens: 'max_tokens',
};

/** `numResults` -> `max_results`, `urls[2]` -> `urls[2]`. */
function argumentName(field: string): string {
  const name = snakeName(field);
  return TOLD_AS[name] ?? name;
}
