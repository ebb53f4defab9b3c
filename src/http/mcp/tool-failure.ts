import type { Failure, FailureCode } from '../../contract/errors.ts';
import {
  buildCardLink,
  buildPaymentLink,
  canBuyCredits,
  describeNextStep,
  FOR_THE_OPERATOR,
  lowerFirstLetter,
  type Shop,
} from '../calls/payment-required.ts';
import { normalizeName } from './arguments.ts';

type ToolFailureContext = Shop & { requestId: string };

/** The agent's next step, for each failure it can do something about. */
const NEXT: Partial<Record<FailureCode, string>> = {
  url_not_allowed: 'only public http(s) pages can be read, so do not retry this address',
  fetch_failed: 'try another address, or search for the topic',
  request_timeout: 'ask for less, or retry once',
  recall_unavailable: 'wait a few seconds and retry',
  overloaded: 'wait a few seconds and retry',
  payment_unavailable: 'wait a minute and retry',
  not_found: 'use another tool',
};

/** Failures whose text adds that no credits were charged. */
const NOT_CHARGED: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'internal',
  'fetch_failed',
  'request_timeout',
  'recall_unavailable',
  'overloaded',
]);

/** Formats a route's failure for an agent in one sentence: what happened, and what to do about it. */
export function describeFailureForAgent(
  failure: Failure,
  { requestId, ...shop }: ToolFailureContext,
): string {
  const { code } = failure;
  const told = [describeFailure(failure, requestId), ...listNextSteps(failure, shop)].join('; ');
  const heading =
    code === 'keyless_limit' || code === 'insufficient_credits' ? `payment_required (${code})` : code;
  const isFree = shop.terms !== null && NOT_CHARGED.has(code);
  // After a link, a full stop would become part of the link.
  const end = /^https?:/.test(told.slice(told.lastIndexOf(' ') + 1)) ? '' : '.';
  return `${heading}: ${told}${isFree ? ' (no credits were charged)' : ''}${end}`;
}

function describeFailure({ code, message, fields }: Failure, requestId: string): string {
  if (code === 'internal') return `Something went wrong in the service (request ${requestId})`;
  const named = fields.map(
    ({ field, message: reason }) => `${toArgumentName(field)} ${stripFullStop(reason)}`,
  );
  return code === 'validation_error' && named.length > 0 ? named.join('; ') : stripFullStop(message);
}

/** Strips the full stop from a message, so that the sentence can continue. */
const stripFullStop = (message: string): string => message.replace(/\.$/, '');

function listNextSteps(failure: Failure, shop: Shop): string[] {
  const { code, message, retryAfterSeconds } = failure;
  switch (code) {
    case 'keyless_limit':
    case 'insufficient_credits':
      return failure.isDisputed
        ? ['stop calling and tell the user; buying credits does not help']
        : [buildPaymentStep(code, shop)];
    case 'invalid_api_key':
      return buildKeySteps(failure, shop);
    case 'expired_api_key':
      return ['ask the user for a new key', ...buildKeylessSteps(shop)];
    case 'no_payment_method':
      return [buildCardStep(failure, shop)];
    case 'validation_error':
      return ['fix the argument and call again'];
    case 'internal':
      return ['retry once, then continue without it'];
    default:
      if (retryAfterSeconds !== null) return [`retry after ${retryAfterSeconds} s`];
      return message.includes('; ') ? [] : [NEXT[code] ?? []].flat();
  }
}

const SET_KEY =
  'as "Authorization: Bearer <key>" (over stdio: SANDERLING_API_KEY) where this server is configured';

function buildPaymentStep(code: FailureCode, shop: Shop): string {
  const step = describeNextStep(shop, { hasKey: code === 'insufficient_credits' });
  if (!canBuyCredits(shop)) return `stop calling until then, and ${lowerFirstLetter(stripFullStop(step))}`;
  const free =
    code === 'keyless_limit' && shop.terms?.freeKeys
      ? ` or claim a free key with POST ${shop.baseUrl}/v1/keys/free and set it ${SET_KEY}`
      : '';
  const own = shop.isOnThisMachine === true ? `${lowerFirstLetter(FOR_THE_OPERATOR)}; otherwise ` : '';
  return `${own}stop calling until the user has bought credits at ${buildPaymentLink(shop)}${free}`;
}

function buildKeySteps({ keyMissing }: Failure, shop: Shop): string[] {
  const step = keyMissing ? [lowerFirstLetter(stripFullStop(describeNextStep(shop, { hasKey: false })))] : [];
  const free =
    !keyMissing && shop.terms?.freeKeys ? [`a free key comes from POST ${shop.baseUrl}/v1/keys/free`] : [];
  return [...step, `set the key ${SET_KEY}`, ...(keyMissing ? [] : buildKeylessSteps(shop)), ...free];
}

function buildKeylessSteps({ terms }: Shop): string[] {
  return terms?.keylessPerDay === 0 ? [] : ['search and reading also work without a key'];
}

function buildCardStep(failure: Failure, shop: Shop): string {
  if (!canBuyCredits(shop)) return 'this service sells no packs at the moment';
  return `show the user this link to buy a pack and save the card: ${buildCardLink(shop, failure)}`;
}

/** Route fields whose tool argument has another name. */
const ARGUMENT_OF_FIELD: Record<string, string> = {
  num_results: 'max_results',
  start_published_date: 'start_date',
  end_published_date: 'end_date',
  max_tokens: 'max_tokens',
};

/** `numResults` -> `max_results`, `urls[2]` -> `urls[2]`. */
function toArgumentName(field: string): string {
  const name = normalizeName(field);
  return ARGUMENT_OF_FIELD[name] ?? name;
}
