import type { SourceAnswer, SourceRequest } from '../source.ts';
import type { Breaker } from './breaker.ts';
import type { WireAnswer } from './exchange-with-source.ts';
import type { CallOutcome } from './outcome-window.ts';
import { createSourceWire, type SourceClientDeps } from './source-wire.ts';
import type { SourceError, UpstreamResponse } from './upstream-types.ts';

/** Calls one source, within its bounds. */
type SourceCaller = {
  /**
   * `canary` is asked when an empty answer may as well hide an outage. `isLastResort`: nobody else is left to ask. Never rejects but for a
   * defect.
   */
  call(
    request: SourceRequest,
    options: { canary(): SourceRequest; isLastResort: boolean },
  ): Promise<UpstreamResponse>;
  lastWasLate(): boolean;
  markSlow(): void;
  quotaLeft(): number | null;
};

type CallerParts = SourceClientDeps & { breaker: Breaker };

/** A source that says 429 and not for how long. */
const PAUSE_MS = 30_000;
/** A list with something in it proves for so long that an empty one is honest. */
const PROOF_MS = 60_000;

export function createCaller(parts: CallerParts): SourceCaller {
  const { clock, breaker, window, atOnce } = parts;
  const wire = createSourceWire(parts);
  let quotaLeft: number | null = null;
  let provenAt = Number.NEGATIVE_INFINITY;

  /** An empty list of a source whose silence proves nothing: honest when it found something else just now. */
  const proven = async (answer: WireAnswer, canary: () => SourceRequest): Promise<WireAnswer> => {
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
      const tell = breaker.admit(isLastResort);
      if (tell === null) return refusal('circuit_open');
      let outcome: CallOutcome = 'failed';
      try {
        const answer = await proven(await wire.send(request), canary);
        outcome = outcomeOf(answer);
        if (answer.kind === 'throttled') breaker.pause(answer.retryAfterMs ?? PAUSE_MS);
        if (answer.kind === 'ok') {
          quotaLeft = answer.quotaLeft ?? quotaLeft;
          if (answer.pauseMs !== undefined) breaker.pause(answer.pauseMs);
        }
        return responseOf(answer);
      } finally {
        tell(outcome);
      }
    },
    lastWasLate: wire.lastWasLate,
    markSlow: wire.markSlow,
    quotaLeft: () => quotaLeft,
  };
}

const UNPROVEN: SourceAnswer = {
  kind: 'failed',
  why: 'empty answers, even to a word that is found everywhere',
};

const REFUSALS: Partial<Record<SourceError, string>> = {
  circuit_open: 'it failed lately and is left alone for a while',
  busy: 'as many calls as it takes are under way',
  rate_limited: 'its bound of calls is reached',
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
      return { ok: false, error: 'rate_limited', detail: 'it asked to be called less' };
    case 'late':
      return { ok: false, error: 'timeout', detail: 'it did not answer in time' };
    default:
      return { ok: false, error: answer.kind, detail: answer.why };
  }
}
