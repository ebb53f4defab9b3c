import type { CallOutcome } from '../../platform/circuit-breaker.ts';
import { type Breaker, PAUSE_MS_MAX } from '../../platform/circuit-breaker.ts';
import type { SourceAnswer, SourceRate, SourceRequest } from '../source.ts';
import type { SharedSources } from './shared-sources.ts';
import type { WireAnswer } from './source-wire.ts';
import { createSourceWire, type SourceClientDeps } from './source-wire.ts';
import type { SourceError, UpstreamResponse } from './upstream-types.ts';

/** Calls one source, within its bounds. */
type SourceCaller = {
  /**
   * Calls the source; sends `canary` when an empty answer may hide an outage. `isLastResort`: no other source is left; `until` fires when
   * nobody wants the answer any more. Rejects only because of a defect.
   */
  call(
    request: SourceRequest,
    options: { canary(): SourceRequest; isLastResort: boolean; until: AbortSignal },
  ): Promise<UpstreamResponse>;
  lastWasLate(): boolean;
  markSlow(): void;
  quotaLeft(): number | null;
};

type CallerDeps = SourceClientDeps & {
  breaker: Breaker;
  /** The rate limit over all processes; null: this process is alone. */
  shared: (Pick<SharedSources, 'take' | 'pause'> & { name: string; rate: SourceRate }) | null;
};

/** Pause after a 429 that names none. */
const PAUSE_MS = 30_000;
/** Time for which empty lists are trusted after a non-empty one. */
const PROOF_MS = 60_000;

export function createCaller(deps: CallerDeps): SourceCaller {
  const { clock, breaker, window, atOnce, shared } = deps;
  const wire = createSourceWire(deps);
  let quotaLeft: number | null = null;
  let provenAt = Number.NEGATIVE_INFINITY;

  /** Pauses calls in all processes. Failures are not shared, because this process's network may be the cause; requested pauses are. */
  const pauseAll = (ms: number): void => {
    breaker.pause(ms);
    if (ms > 0) shared?.pause(shared.name, Math.min(PAUSE_MS_MAX, ms));
  };

  /** Checks an unproven empty list: it is trusted if the source has found something else recently. */
  const verifyEmpty = async (
    answer: WireAnswer,
    { canary, until }: { canary(): SourceRequest; until: AbortSignal },
  ): Promise<WireAnswer> => {
    if (answer.kind !== 'ok') return answer;
    if (answer.items.length > 0) provenAt = clock.now();
    if (answer.items.length > 0 || answer.proven || clock.now() - provenAt <= PROOF_MS) return answer;
    if (!window.take()) return UNPROVEN;
    const probe = await wire.sendOnce(canary(), until);
    if (probe.kind === 'abandoned') return probe;
    if (probe.kind !== 'ok' || probe.items.length === 0) return UNPROVEN;
    provenAt = clock.now();
    return answer;
  };

  return {
    async call(request, { canary, isLastResort, until }) {
      if (!breaker.admits(isLastResort)) return createRefusal('circuit_open');
      if (wire.underWay() >= atOnce) return createRefusal('busy');
      if (!window.take()) return createRefusal('rate_limited');
      const turn = shared === null ? ALONE : await shared.take(shared.name, shared.rate);
      if (turn.pausedMs > 0) breaker.pause(turn.pausedMs);
      if (!turn.mayBegin) return createRefusal(turn.pausedMs > 0 ? 'circuit_open' : 'rate_limited');
      const report = breaker.admit(isLastResort);
      if (report === null) return createRefusal('circuit_open');
      let outcome: CallOutcome = 'failed';
      try {
        const answer = await verifyEmpty(await wire.send(request, until), { canary, until });
        outcome = toCallOutcome(answer);
        if (answer.kind === 'throttled') pauseAll(answer.retryAfterMs ?? PAUSE_MS);
        if (answer.kind === 'ok') {
          quotaLeft = answer.quotaLeft ?? quotaLeft;
          if (answer.pauseMs !== undefined) pauseAll(answer.pauseMs);
        }
        return toResponse(answer);
      } finally {
        report(outcome);
      }
    },
    lastWasLate: wire.lastWasLate,
    markSlow: wire.markSlow,
    quotaLeft: () => quotaLeft,
  };
}

const ALONE = { mayBegin: true, pausedMs: 0 };

const UNPROVEN: SourceAnswer = {
  kind: 'failed',
  why: 'it finds nothing, even for a word that is on many pages',
};

const REFUSALS: Partial<Record<SourceError, string>> = {
  circuit_open: 'it failed recently and is not called for a while',
  busy: 'the maximum number of calls to it is in progress',
  rate_limited: 'its rate limit is reached',
};
/** The response of a call that no caller waits for any more. */
export const ABANDONED: UpstreamResponse = {
  ok: false,
  error: 'timeout',
  detail: 'the search had ended before it answered',
};

const createRefusal = (error: SourceError): UpstreamResponse => ({
  ok: false,
  error,
  detail: REFUSALS[error] ?? error,
});

function toCallOutcome({ kind }: WireAnswer): CallOutcome {
  switch (kind) {
    case 'ok':
      return 'ok';
    case 'throttled':
    case 'abandoned':
      return 'paused';
    case 'refused':
    case 'blocked':
      return 'shut';
    default:
      return 'failed';
  }
}

function toResponse(answer: WireAnswer): UpstreamResponse {
  switch (answer.kind) {
    case 'ok':
      return { ok: true, items: answer.items, cache: 'miss' };
    case 'throttled':
      return { ok: false, error: 'rate_limited', detail: 'it asked for fewer calls' };
    case 'late':
      return { ok: false, error: 'timeout', detail: 'it did not answer in time' };
    case 'abandoned':
      return ABANDONED;
    default:
      return { ok: false, error: answer.kind, detail: answer.why };
  }
}
