import { invalid, StripeFailure } from './failure.ts';
import type { Fault } from './faults.ts';
import { readParams } from './form.ts';
import type { Answer, IdempotencyKeys } from './idempotency.ts';
import type { Account } from './objects.ts';
import { API_VERSION } from './objects.ts';
import { ENDPOINTS } from './routes.ts';

export type ApiRequest = {
  method: string;
  path: string;
  query: string;
  body: string;
  header(name: string): string | undefined;
};

export type ApiAnswer = Answer & { replayed: boolean };

/** One call of the API, from the secret to the answer. Never throws what the caller has brought about. */
export async function answerCall(
  parts: { account: Account; keys: IdempotencyKeys; secretKey: string },
  request: ApiRequest,
  fault: Fault | null,
): Promise<ApiAnswer> {
  try {
    return await carryOut(parts, request, fault);
  } catch (error) {
    return { ...answerOfFailure(error), replayed: false };
  }
}

async function carryOut(
  { account, keys, secretKey }: Parameters<typeof answerCall>[0],
  request: ApiRequest,
  fault: Fault | null,
): Promise<ApiAnswer> {
  const { method, path, query, body } = request;
  checkHeaders(request, secretKey);
  if (fault === 'throttle') throw throttled();
  const endpoint = ENDPOINTS.find((one) => one.method === method && one.path.test(path));
  if (endpoint === undefined) throw notThere(request);
  const params = readParams(method === 'GET' ? query : body, endpoint.shape);
  const work = (): Answer => {
    if (fault === 'fail') return FAILED;
    const done = attempt(() => endpoint.answer(account, params, endpoint.path.exec(path)?.[1] ?? ''));
    return fault === 'fail-after' ? FAILED : done;
  };
  const key = method === 'POST' ? request.header('idempotency-key') : undefined;
  if (key === undefined) {
    if (typeof fault === 'object') await fault?.stall;
    return { ...work(), replayed: false };
  }
  const before = keys.take(key, `${method} ${path} ${params.fingerprint()}`);
  if (before !== null) return { ...before, replayed: true };
  if (typeof fault === 'object') await fault?.stall;
  const answer = work();
  keys.keep(key, answer);
  return { ...answer, replayed: false };
}

const FAILED: Answer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred' } },
};

function attempt(work: () => object): Answer {
  try {
    return { status: 200, body: work() };
  } catch (error) {
    return answerOfFailure(error);
  }
}

function answerOfFailure(error: unknown): Answer {
  if (!(error instanceof StripeFailure)) throw error;
  return { status: error.status, body: { error: error.problem } };
}

function checkHeaders(request: ApiRequest, secretKey: string): void {
  if (request.header('authorization') !== `Bearer ${secretKey}`)
    throw new StripeFailure(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
  const version = request.header('stripe-version');
  if (version !== API_VERSION) throw invalid(`Invalid Stripe API version: ${version}`);
  if (request.method === 'POST' && !request.header('content-type')?.startsWith('application/x-www-form'))
    throw invalid('Parameters are taken as a form only.');
}

function throttled(): StripeFailure {
  return new StripeFailure(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Too many requests hit the API too quickly.',
  });
}

function notThere({ method, path }: ApiRequest): StripeFailure {
  return new StripeFailure(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}).`,
  });
}
