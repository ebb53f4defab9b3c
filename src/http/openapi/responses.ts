import type { z } from 'zod';
import type { FailureCode } from '../../contract/errors.ts';
import { isCharged, type JsonObject, type Route } from '../calls/call.ts';
import { IGNORED_HEADER } from '../calls/ignored-fields.ts';
import { INCOMPLETE_HEADER } from '../calls/incomplete.ts';
import type { Operation } from '../calls/operation.ts';
import { findShape } from '../shapes.ts';
import { buildAnswerSchema } from './json-schema.ts';
import type { Schemas } from './named-schemas.ts';

/** The facts that a route's responses depend on, besides its operation. */
type ResponseContext = {
  route: Route;
  path: string;
  /** Schemas that several responses refer to, by title. */
  schemas: Schemas;
  isMetered: boolean;
};

/** Builds every response of an operation, by status. */
export function buildResponses(operation: Operation, place: ResponseContext): JsonObject {
  return { ...buildSuccess(operation, place), ...buildFailures(operation, place) };
}

function buildSuccess(operation: Operation, place: ResponseContext): JsonObject {
  if (operation.answer === 'redirect')
    return { 303: { description: 'Go to the payment page.', headers: { ...LOCATION, ...REQUEST_ID } } };
  return {
    200: {
      description: 'Success.',
      ...buildHeaders(operation, place),
      content: buildSuccessContent(operation, place),
    },
  };
}

/** Builds the content of a success, by media type. */
function buildSuccessContent(
  { answer, otherAnswer, json, otherTypes = [] }: Operation,
  place: ResponseContext,
): JsonObject {
  const buildSchema = (one: z.ZodType): JsonObject =>
    otherAnswer === undefined
      ? registerSchema(one, place)
      : { anyOf: [registerSchema(one, place), registerSchema(otherAnswer, place)] };
  return {
    ...(typeof answer === 'string' ? buildContent(answer) : buildJsonContent(buildSchema(answer))),
    ...(json === undefined ? {} : buildJsonContent(registerSchema(json, place))),
    ...Object.assign({}, ...otherTypes.map(buildContent)),
  };
}

const buildContent = (type: string): JsonObject => ({
  // A stream gets no schema: it would be that of its events, which differ from each other.
  [type]: {
    schema: type === 'text/event-stream' ? {} : { type: /[/+]json$/.test(type) ? 'object' : 'string' },
  },
});

const buildJsonContent = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });

/** Puts a titled schema under `components` once and returns a reference to it. */
function registerSchema(answer: z.ZodType, { schemas, isMetered }: ResponseContext): JsonObject {
  const name = answer.meta()?.title;
  if (name === undefined) return buildAnswerSchema(answer, { isMetered });
  schemas[name] ??= buildAnswerSchema(answer, { isMetered });
  return { $ref: `#/components/schemas/${name}` };
}

/** Builds the headers of a success. */
function buildHeaders(operation: Operation, { route, isMetered }: ResponseContext): JsonObject {
  const reads = route.method === 'POST' && route.callers !== 'anybody';
  return {
    headers: {
      ...operation.headers,
      ...(isCharged(route) && isMetered ? REMAINING : {}),
      ...(reads ? IGNORED : {}),
      ...(route.callers === 'payer' ? { ...CACHE, ...INCOMPLETE } : {}),
      ...REQUEST_ID,
    },
  };
}

const REQUEST_ID = {
  'X-Request-Id': { description: 'Identifies this call in the service log.', schema: { type: 'string' } },
};

const CACHE = {
  'X-Cache': {
    description:
      '`hit` if the answer came from a cache, `miss` if it is fresh, `stale` if fetching failed and a cached copy was used; absent where nothing is cached.',
    schema: { type: 'string', enum: ['miss', 'hit', 'stale'] },
  },
};

const INCOMPLETE = {
  [INCOMPLETE_HEADER]: {
    description:
      'What was left out for lack of time on the side of the server, separated by commas; absent if nothing was.',
    schema: { type: 'string' },
  },
};

const IGNORED = {
  [IGNORED_HEADER]: {
    description:
      'The fields of the request that had no effect, separated by commas and percent-encoded; absent if there are none.',
    schema: { type: 'string' },
  },
};

const REMAINING = {
  'X-Credits-Remaining': {
    description: 'Credits left on the key, or free requests left today.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const LOCATION = {
  Location: {
    description: 'The address of the payment page.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
};

const PAYMENT_URL = {
  'X-Payment-URL': {
    description: 'The address to buy credits.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
};

/** Codes whose response says when to try again. */
const TIMED: ReadonlySet<FailureCode> = new Set([
  ...(['keyless_limit', 'rate_limited', 'idempotency_conflict'] as const),
  ...(['overloaded', 'recall_unavailable', 'payment_unavailable'] as const),
]);

const BY_CALLER: Record<Route['callers'], FailureCode[]> = {
  payer: ['invalid_api_key', 'expired_api_key', 'insufficient_credits', 'keyless_limit', 'rate_limited'],
  caller: ['invalid_api_key', 'expired_api_key'],
  key: ['invalid_api_key', 'expired_api_key'],
  anybody: [],
  operator: [],
  admin: [],
};

/** Lists the codes of all failures that a call of a route can end with. */
export function listFailureCodes(
  operation: Operation,
  route: Route,
  { isMetered }: { isMetered: boolean },
): FailureCode[] {
  return [
    ...new Set([
      ...operation.errors,
      ...(isMetered ? BY_CALLER[route.callers] : []),
      // Such a route needs a key, so that no daily limit applies.
      ...(isMetered && isCharged(route) ? (['insufficient_credits', 'rate_limited'] as const) : []),
      ...(route.callers === 'payer' && route.method === 'POST' ? (['idempotency_conflict'] as const) : []),
      // Possible on a server that only this machine reaches, or that reads private addresses.
      'forbidden' as const,
      ...(route.method === 'POST' ? (['request_too_large', 'unsupported_media_type'] as const) : []),
      ...(operation.isProbe ? [] : (['overloaded'] as const)),
      'internal' as const,
    ]),
  ];
}

/** Builds the failure responses. Error codes with the same status share one response. */
function buildFailures(operation: Operation, place: ResponseContext): JsonObject {
  const { route, isMetered } = place;
  const shape = findShape(place.path);
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of listFailureCodes(operation, route, { isMetered })) {
    const status = shape.format.statusOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const headers = {
        ...(isCharged(route) && isMetered ? REMAINING : {}),
        ...(codes.includes('insufficient_credits') ? PAYMENT_URL : {}),
        ...(codes.some((code) => TIMED.has(code)) ? RETRY_AFTER : {}),
        ...REQUEST_ID,
      };
      return [
        status,
        {
          description: codes.join(', '),
          headers,
          content: buildJsonContent(registerSchema(shape.failureBody(status), place)),
        },
      ];
    }),
  );
}
