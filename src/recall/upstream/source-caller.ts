import type { SourceAnswer, SourceRequest } from '../source.ts';
import type { Breaker } from './circuit-breaker.ts';
import type { WireAnswer } from './exchange-with-source.ts';
import type { CallOutcome } from './outcome-window.ts';
import { createSourceWire, type SourceClientDeps } from './source-wire.ts';
import type { SourceError, UpstreamResponse } from './upstream-types.ts';

/** Calls one source, within its bounds. */
type SourceCaller = {
  /**
   * Sends `canary` when an empty answer may hide an outage. `isLastResort`: no other source is left. Rejects only because of a defect.
   */
  call(
    request: SourceRequest,
    options: { canary(): SourceRequest; isLastResort: boolean },
  ): Promise<UpstreamResponse>;
  lastWasLate(): boolean;
  markSlow(): void;
  quotaLeft(): number | null;
};

type CallerDeps = SourceClientDeps & { breaker: Breaker };

/** The pause after a 429 that names none. */
const PAUSE_MS = 30_000;
/** After a non-empty list, empty lists are trusted for this long. */
const PROOF_MS = 60_000;

export function createCaller(deps: CallerDeps): SourceCaller {
  const { clock, breaker, window, atOnce } = deps;
  const wire = createSourceWire(deps);
  let quotaLeft: number | null = null;
  let provenAt = Number.NEGATIVE_INFINITY;

  /** Checks an unproven empty list: it is trusted if the source has found something else recently. */
  const verified = async (answer: WireAnswer, canary: () => SourceRequest): Promise<WireAnswer> => {
    if (answer.kind !== 'ok') return answer;
    if (answer.items.length > 0) provenAt = clock.now();
    if (answer.items.length > 0 || answer.proven || clock.now() - provenAt <= PROOF_MS) return answer;
    if (!window.take()) return UNPROVEN;
    const probe = await wire.sendOnce(canary());
    if (probe.kind !== 'ok' || probe.items.length === 0) return UNPROVEN;
    provenAt = clock.now();
    return answer;
  };

  return {
    async call(request, { canary, isLastResort }) {
      if (!breaker.admits(isLastResort)) return refusal('circuit_open');
      if (wire.underWay() >= atOnce) return refusal('busy');
      if (!window.take()) return refusal('rate_limited');
      const report = breaker.admit(isLastResort);
      if (report === null) return refusal('circuit_open');
      let outcome: CallOutcome = 'failed';
      try {
        const answer = await verified(await wire.send(request), canary);
        outcome = outcomeOf(answer);
        if (answer.kind === 'throttled') breaker.pause(answer.retryAfterMs ?? PAUSE_MS);
        if (answer.kind === 'ok') {
          quotaLeft = answer.quotaLeft ?? quotaLeft;
          if (answer.pauseMs !== undefined) breaker.pause(answer.pauseMs);
        }
        return responseOf(answer);
      } finally {
        report(outcome);
      }
    },
    lastWasLate: wire.lastWasLate,
    markSlow: wire.markSlow,
    quotaLeft: () => quotaLeft,
  };
}

const UNPROVEN: SourceAnswer = {
  kind: 'failed',
  why: 'it finds nothing, even for a word that is on many pages',
};

const REFUSALS: Partial<Record<SourceError, string>> = {
  circuit_open: 'it failed recently and is not called for a while',
  busy: 'the maximum number of calls to it is in progress',
  rate_limited: 'its rate limit is reached',
};
const refusal = (error: SourceError): UpstreamResponse => ({
  ok: false,
  error,
  detail: REFUSALS[error] ?? error,
});

function outcomeOf({ kind }: WireAnswer): CallOutcome {
  switch (kind) {
    case 'ok':
      return 'ok';
    case 'throttled':
      return 'paused';
    case 'refused':
    case 'blocked':
      return 'shut';
    default:
      return 'failed';
  }
}

function responseOf(answer: WireAnswer): UpstreamResponse {
  switch (answer.kind) {
    case 'ok':
      return { ok: true, items: answer.items, cache: 'miss' };
    case 'throttled':
      return { ok: false, error: 'rate_limited', detail: 'it asked for fewer calls' };
    case 'late':
      return { ok: false, error: 'timeout', detail: 'it did not answer in time' };
    default:
      return { ok: false, error: answer.kind, detail: answer.why };
  }
}
