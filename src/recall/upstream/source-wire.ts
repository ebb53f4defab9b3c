import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FetchedResponse, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { SourceAnswer, SourceRequest, SourceSpec } from '../source.ts';
import type { CallWindow } from './call-window.ts';

/** Timeout of a call to a source. */
export const SOURCE_TIMEOUT_MS = 5_000;
/** Maximum wait for one source when others have answered. */
export const SOFT_TIMEOUT_MS = 2_500;
/** Maximum bytes read; the bound on an accepted answer is lower. */
const ANSWER_BYTES_MAX = 6_291_456;

/** Number of calls that the statistics cover. */
const CALLS_KEPT = 200;

/** Counts are halved at this number, so that old calls do not allow a burst of extra ones. */
const CALLS_REMEMBERED = 1_000;

export type SourceClientDeps = {
  spec: Pick<SourceSpec, 'scope' | 'read'>;
  fetch: GuardedFetch;
  clock: Clock;
  record: CallRecord;
  window: CallWindow;
  atOnce: number;
};

/** Calls to one source: hedged, retried if safe, recorded, and ended with `until`. The caller has taken its place in the window. */
type SourceWire = {
  send(request: SourceRequest, until: AbortSignal): Promise<WireAnswer>;
  /** Sends a single call, which is not recorded. */
  sendOnce(request: SourceRequest, until: AbortSignal): Promise<WireAnswer>;
  underWay(): number;
  /** Returns true if the last call timed out, or took longer than SOFT_TIMEOUT_MS. */
  lastWasLate(): boolean;
  /** Records that a search continued without the source's answer. */
  markSlow(): void;
};

/** Maximum shares of calls that are hedged, and retried. */
const HEDGED_SHARE_MAX = 0.05;
const RETRIED_SHARE_MAX = 0.1;
/** A p90 over fewer calls is unreliable. */
const HEDGE_CALLS_KNOWN = 20;
const HEDGE_MS_MIN = 20;

export function createSourceWire({
  spec,
  fetch,
  clock,
  record,
  window,
  atOnce,
}: SourceClientDeps): SourceWire {
  const hedges = createCallBudget(HEDGED_SHARE_MAX);
  const retries = createCallBudget(RETRIED_SHARE_MAX);
  let underWay = 0;
  let wasLate = false;

  const exchangeOnce = async (request: SourceRequest, signal: AbortSignal): Promise<WireAnswer> => {
    underWay += 1;
    try {
      return await exchangeWithSource({ fetch, read: spec.read }, request, signal);
    } finally {
      underWay -= 1;
    }
  };
  /** Retries a GET whose connection broke before an answer arrived, which is safe. */
  const exchangeWithRetry = async (request: SourceRequest, signal: AbortSignal): Promise<WireAnswer> => {
    const answer = await exchangeOnce(request, signal);
    const mayRetry = answer.kind === 'unreachable' && answer.wasReset && !signal.aborted;
    return mayRetry && retries.take() && window.take() ? exchangeOnce(request, signal) : answer;
  };
  const computeHedgeDelayMs = (): number | null => {
    const isKnown = spec.scope === 'web' && record.known() >= HEDGE_CALLS_KNOWN;
    const p90 = isKnown ? record.percentile(0.9) : null;
    return p90 === null ? null : Math.max(HEDGE_MS_MIN, p90);
  };

  return {
    async send(request, until) {
      hedges.count();
      retries.count();
      const begun = clock.now();
      const answer = await hedgeCall(
        (signal) => exchangeWithRetry(request, AbortSignal.any([signal, until])),
        {
          afterMs: computeHedgeDelayMs(),
          may: () => underWay < atOnce && hedges.take() && window.take(),
          counts: ({ kind }) => kind === 'ok',
        },
      );
      if (answer.kind === 'abandoned') return answer;
      const ms = clock.now() - begun;
      record.add({ ok: answer.kind === 'ok', ms });
      wasLate = answer.kind === 'late' || ms > SOFT_TIMEOUT_MS;
      return answer;
    },
    sendOnce: exchangeOnce,
    underWay: () => underWay,
    lastWasLate: () => wasLate,
    markSlow: () => {
      wasLate = true;
    },
  };
}

/**
 * Runs `call`, and runs it again in parallel if it has not settled after `afterMs` and `may` agrees. The first answer that `counts` wins
 * and the other call is aborted; if none counts, the last one to settle is the answer. `call` must not reject.
 */
export async function hedgeCall<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { afterMs, may, counts }: { afterMs: number | null; may: () => boolean; counts: (answer: T) => boolean },
): Promise<T> {
  if (afterMs === null) return call(new AbortController().signal);
  const ended = new AbortController();
  return new Promise<T>((resolve, reject) => {
    let open = 0;
    const begin = (): void => {
      open += 1;
      call(ended.signal).then((answer) => {
        open -= 1;
        if (!counts(answer) && open > 0) return;
        clearTimeout(timer);
        resolve(answer);
        ended.abort();
      }, reject);
    };
    const timer = setTimeout(() => {
      if (may()) begin();
    }, afterMs);
    begin();
  });
}

/** Bounds extra calls (hedges, retries) to a share of the regular calls. */
type CallBudget = { count(): void; take(): boolean };

export function createCallBudget(shareMax: number): CallBudget {
  let due = 0;
  let extra = 0;
  return {
    count() {
      due += 1;
      if (due < CALLS_REMEMBERED) return;
      due /= 2;
      extra /= 2;
    },
    take() {
      if (extra + 1 > due * shareMax) return false;
      extra += 1;
      return true;
    },
  };
}

/** Statistics on the last calls of a source. Latencies are those of successful calls. */
export type CallRecord = {
  add(call: { ok: boolean; ms: number }): void;
  /** Returns the milliseconds within which this share of the calls answered; null before the first success. */
  percentile(share: number): number | null;
  /** Returns the share of successful calls, 0 to 1; null before the first call. */
  successShare(): number | null;
  /** Returns the number of calls since the start. */
  calls(): number;
  /** Returns the number of successful calls behind the percentiles. */
  known(): number;
};

export function createCallRecord(): CallRecord {
  const latencies: number[] = [];
  const outcomes: boolean[] = [];
  let calls = 0;
  return {
    add({ ok, ms }) {
      calls += 1;
      push(outcomes, ok);
      if (ok) push(latencies, ms);
    },
    percentile(share) {
      const sorted = latencies.toSorted((one, other) => one - other);
      return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
    },
    successShare: () => (outcomes.length === 0 ? null : outcomes.filter((ok) => ok).length / outcomes.length),
    calls: () => calls,
    known: () => latencies.length,
  };
}

/** Summarises the record for operators. */
export function summarizeCalls(
  record: CallRecord,
): Record<'p50Ms' | 'p90Ms' | 'p95Ms' | 'successShare', number | null> & { calls: number } {
  return {
    calls: record.calls(),
    p50Ms: record.percentile(0.5),
    p90Ms: record.percentile(0.9),
    p95Ms: record.percentile(0.95),
    successShare: record.successShare(),
  };
}

function push<T>(list: T[], value: T): void {
  list.push(value);
  if (list.length > CALLS_KEPT) list.shift();
}

/**
 * The outcome of one call over the wire. `wasReset`: the connection broke before an answer arrived; `abandoned`: all callers left, which
 * says nothing about the source.
 */
export type WireAnswer =
  | SourceAnswer
  | { kind: 'late' }
  | { kind: 'abandoned' }
  | { kind: 'unreachable'; why: string; wasReset: boolean };

async function exchangeWithSource(
  parts: { fetch: GuardedFetch; read: SourceSpec['read'] },
  { url, headers, authorization }: SourceRequest,
  signal: AbortSignal,
): Promise<WireAnswer> {
  try {
    const response = await parts.fetch({
      url,
      headers,
      ...(authorization === undefined ? {} : { authorization }),
      signal,
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: SOURCE_TIMEOUT_MS,
    });
    return parts.read(decodeResponse(response));
  } catch (error) {
    if (signal.aborted) return { kind: 'abandoned' };
    if (error instanceof Failure) return toWireAnswer(error);
    throw error;
  }
}

function decodeResponse({ status, headers, body }: FetchedResponse): Parameters<SourceSpec['read']>[0] {
  return { status, headers, body: new TextDecoder().decode(body) };
}

function toWireAnswer({ fetch, message, cause }: Failure): WireAnswer {
  if (fetch?.reason === 'timeout') return { kind: 'late' };
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  const wasReset = fetch?.reason === 'protocol' && (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET');
  return { kind: 'unreachable', why: fetch?.reason === 'dns' ? 'dns' : message, wasReset };
}
