import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Answer } from '../calls/call.ts';

/** GET /v1/sources: the search sources and the state of each. */
export function createSourcesHandler(readings: () => SourceReading[]): () => Promise<Answer> {
  return async () => ({ body: { sources: readings().map(toSource) } });
}

function toSource({ p50Ms, p90Ms: _, p95Ms, successShare, ...reading }: SourceReading): object {
  const { name, about, scope, terms, state, why, breaker, calls, quotaLeft } = reading;
  return {
    name,
    about,
    scope,
    state,
    ...(why === null ? {} : { why }),
    ...(terms === null ? {} : { terms }),
    breaker,
    calls,
    p50Ms: roundTo(p50Ms, 0),
    p95Ms: roundTo(p95Ms, 0),
    successShare: roundTo(successShare, 3),
    quotaLeft,
  };
}

function roundTo(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
