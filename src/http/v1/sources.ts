import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Answer } from '../calls/call.ts';

/** GET /v1/sources: the search sources and the state of each. */
export function sourcesHandler(readings: () => SourceReading[]): () => Promise<Answer> {
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
    p50Ms: rounded(p50Ms, 0),
    p95Ms: rounded(p95Ms, 0),
    successShare: rounded(successShare, 3),
    quotaLeft,
  };
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
