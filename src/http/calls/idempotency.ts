/**
 * `Idempotency-Key`: a charging POST that is repeated with the same key, credential and content within a day gets the first response and is
 * charged once (docs/guides/errors.md). `billing/ledger/idempotency.ts` keeps the keys; this file decides what counts as the same call and
 * which responses may be kept.
 */
import { Readable } from 'node:stream';
import type { Attempt, Idempotency } from '../../billing/ledger/idempotency.ts';
import type { Meter } from '../../billing/ledger/meter.ts';
import { Failure } from '../../contract/errors.ts';
import { CALL_WAIT_MS_MAX, IDEMPOTENCY_KEY_CHARS_MAX } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forget.ts';
import { type Answer, type Call, HungUp, type PricedRoute } from './call.ts';
import type { ChargedAnswer, SetRemaining } from './charged-call.ts';
import { createValidationFailure } from './json-body.ts';

/** On a charging POST: names the call, so that repeating it neither runs nor charges it again. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** The name that Firecrawl's clients use. */
const OTHER_HEADER = 'X-Idempotency-Key';
/** On a response that is the kept one of an earlier call. */
const REPLAYED_HEADER = 'Idempotent-Replayed';

/** Seconds after which a caller may repeat a call that is under way. */
const RETRY_AFTER_SECONDS = 2;
/** Time beyond the limits of a call after which its process has certainly ended. */
const LOST_AFTER_MS = 30_000;

/** Dependencies of calls that may be repeated. */
export type IdempotencyDeps = {
  idempotency: Pick<Idempotency, 'begin'>;
  forgettings: Pick<Forgettings, 'notice'>;
  meter: Pick<Meter, 'remaining'>;
};

type RepeatableCall = {
  route: PricedRoute;
  call: Omit<Call, 'signal'>;
  hungUp: AbortSignal;
  hasBegun(): boolean;
  setRemaining: SetRemaining;
};

/**
 * Runs a call, or returns the response of an earlier one with the same key. `run` charges the call and runs it. Throws what `run` throws,
 * `Failure('validation_error')` for an unusable key or one of another call, and `Failure('idempotency_conflict')` if the earlier call is
 * still under way or its response was not kept.
 */
export async function runOnce(
  { route, call, hungUp, hasBegun, setRemaining }: RepeatableCall,
  deps: IdempotencyDeps,
  run: () => Promise<ChargedAnswer>,
): Promise<Answer> {
  const key = route.method === 'POST' ? readIdempotencyKey(call) : null;
  if (key === null) return run();
  const epoch = await deps.forgettings.notice();
  const begun = await deps.idempotency.begin({
    owner: call.tenant ?? '',
    key,
    content: [route.paths[0] ?? '', call.target, call.bytes],
    attempt: call.requestId,
    lostAfterMs: route.limit.ms + 2 * CALL_WAIT_MS_MAX + LOST_AFTER_MS,
  });
  if (begun.outcome === 'other call')
    throw createValidationFailure([
      {
        field: IDEMPOTENCY_HEADER,
        message: 'was used for another call within the last 24 hours; use a new key for each new call',
      },
    ]);
  if (begun.outcome === 'begun') return finishAttempt(begun.attempt, { call, epoch, hungUp, hasBegun }, run);
  if (begun.outcome === 'under way')
    throw createConflict('A call with this Idempotency-Key is still under way; repeat it in a moment.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  const kept = restoreAnswer(begun.response, epoch);
  setRemaining(await deps.meter.remaining(call.caller));
  return kept;
}

async function finishAttempt(
  attempt: Attempt,
  { call, epoch, hungUp, hasBegun }: Pick<RepeatableCall, 'call' | 'hungUp' | 'hasBegun'> & { epoch: number },
  run: () => Promise<ChargedAnswer>,
): Promise<Answer> {
  try {
    const answer = await run();
    // What was left out and cost nothing is not the answer: repeating the call may give it.
    if (answer.used === 0 && (answer.incomplete ?? []).length > 0) await attempt.release();
    else await attempt.finish(mayKeepAnswer(call, answer) ? packAnswer(answer, epoch) : null);
    if (hungUp.aborted && !hasBegun()) throw new HungUp();
    // Such a call is refunded, so its response must not be had for nothing.
    hungUp.addEventListener('abort', () => void (hasBegun() || releaseQuietly(attempt)), { once: true });
    return answer;
  } catch (error) {
    await releaseQuietly(attempt);
    throw error;
  }
}

/** If the store does not respond, the key becomes free when its attempt counts as lost. */
const releaseQuietly = (attempt: Attempt): Promise<void> => attempt.release().catch(() => {});

/** Reads the key of a call; null if it has none. Throws `Failure('validation_error')`. */
function readIdempotencyKey({ headers }: Pick<Call, 'headers'>): string | null {
  const name = headers[IDEMPOTENCY_HEADER.toLowerCase()] === undefined ? OTHER_HEADER : IDEMPOTENCY_HEADER;
  const key = headers[name.toLowerCase()];
  if (key === undefined) return null;
  const isUsable = typeof key === 'string' && key.length > 0 && key.length <= IDEMPOTENCY_KEY_CHARS_MAX;
  // The HTTP parser admits no other control character.
  if (isUsable && !key.includes('\t')) return key;
  throw createValidationFailure([
    { field: name, message: `must be one printable text of at most ${IDEMPOTENCY_KEY_CHARS_MAX} characters` },
  ]);
}

function createConflict(message: string, details: { retryAfterSeconds?: number } = {}): Failure {
  return new Failure('idempotency_conflict', message, details);
}

/** An answer as it is kept, with the epoch of the index: a page may have been forgotten since. */
type KeptAnswer = Pick<Answer, 'status' | 'headers' | 'cache' | 'incomplete'> & {
  epoch: number;
  form: 'json' | 'text' | 'base64';
  body: unknown;
};

/** Returns false if the caller wants nothing kept, or the answer is a stream. */
function mayKeepAnswer({ keep, body }: Pick<Call, 'keep' | 'body'>, answer: Answer): boolean {
  return keep && body.store !== false && !(answer.body instanceof Readable);
}

function packAnswer({ status, headers, cache, incomplete, body }: Answer, epoch: number): KeptAnswer {
  const rest = { status, headers, cache, incomplete, epoch } as Omit<KeptAnswer, 'form' | 'body'>;
  if (typeof body === 'string') return { ...rest, form: 'text', body };
  if (body instanceof Uint8Array)
    return { ...rest, form: 'base64', body: Buffer.from(body).toString('base64') };
  return { ...rest, form: 'json', body };
}

/** Throws `Failure('idempotency_conflict')` if the answer was not kept, or a page was forgotten since. */
function restoreAnswer(kept: unknown, epoch: number): Answer {
  // Only `packAnswer` makes what opens with the caller's key.
  const answer = kept as KeptAnswer | null;
  if (answer === null || answer.epoch !== epoch || epoch < 0)
    throw createConflict(
      'The call with this Idempotency-Key was done, but its response was not kept: it was too large, a stream or not to be stored, or a page was forgotten since. Use a new key to run the call again.',
    );
  const { epoch: _, form, body, headers, ...rest } = answer;
  return {
    ...rest,
    headers: { ...headers, [REPLAYED_HEADER]: 'true' },
    body: form === 'base64' ? Buffer.from(body as string, 'base64') : (body as Answer['body']),
  };
}
