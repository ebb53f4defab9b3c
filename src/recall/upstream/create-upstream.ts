import type { Clock } from '../../platform/clock.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import type { SourceRequest, SourceSettings, SourceSpec } from '../source.ts';
import { couldAnswer, rateOf } from '../sources/all-sources.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type CallRecord, createCallRecord, figuresOf } from './call-record.ts';
import { createCallWindow } from './call-window.ts';
import { type Breaker, createBreaker } from './circuit-breaker.ts';
import { createCaller } from './source-caller.ts';
import type { SourceReading, Upstream, UpstreamQuery, UpstreamResponse } from './upstream-types.ts';

type UpstreamDeps = {
  settings: SourceSettings;
  fetch: GuardedFetch;
  clock: Clock;
  cache: AnswerCache;
};

/** Starts a declared source with the operator's settings: bounded in rate and concurrency, behind a circuit breaker, cached if its terms allow it. */
export function createUpstream(spec: SourceSpec, { settings, fetch, clock, cache }: UpstreamDeps): Upstream {
  const rate = rateOf(spec, settings.key);
  const breaker = createBreaker(clock);
  const record = createCallRecord();
  const caller = createCaller({
    spec,
    fetch,
    clock,
    breaker,
    record,
    window: createCallWindow(rate, clock),
    atOnce: rate.atOnce,
  });
  // A MediaWiki other than Wikipedia returns its own articles.
  const hosts = spec.hosts === null ? null : [...spec.hosts, new URL(settings.baseUrl).hostname];
  const inFlight = new Map<string, Promise<UpstreamResponse>>();

  const requestFor = (query: UpstreamQuery): SourceRequest | null => {
    const condensed = query.query.condensed(spec.queryMax);
    return condensed === null ? null : spec.request({ ...query, query: condensed }, settings);
  };
  const canary = (): SourceRequest => spec.request({ ...CANARY }, settings);
  const keyOf = (request: SourceRequest): string => `${spec.name} ${request.url}`;
  const call = (request: SourceRequest, isLastResort: boolean): Promise<UpstreamResponse> =>
    caller.call(request, { canary, isLastResort });
  const callAndKeep = async (request: SourceRequest, isLastResort: boolean): Promise<UpstreamResponse> => {
    const response = await call(request, isLastResort);
    if (response.ok && spec.mayBeCached) cache.keep(keyOf(request), response.items);
    return response;
  };

  return {
    name: spec.name,
    scope: spec.scope,
    mayBeCached: spec.mayBeCached,
    fitOf: (traits, includeDomains) => (couldAnswer({ hosts }, includeDomains) ? spec.fit(traits) : 0),
    isWaitedFor: () => breaker.state() === 'closed' && !caller.lastWasLate(),
    isClosed: () => breaker.state() === 'closed',
    markSlow: caller.markSlow,
    async ask(query, isLastResort = false) {
      const request = requestFor(query);
      if (request === null)
        return {
          ok: false,
          error: 'unsuitable_query',
          detail: 'no word of the query fits within its limits',
        };
      if (query.page > 0 && request.url === requestFor({ ...query, page: 0 })?.url) return NO_MORE;
      const key = keyOf(request);
      const fresh = spec.mayBeCached ? cache.fresh(key) : null;
      if (fresh !== null) return { ok: true, items: fresh, cache: 'hit' };
      if (query.keep === false) return call(request, isLastResort);
      const response =
        inFlight.get(key) ?? callAndKeep(request, isLastResort).finally(() => inFlight.delete(key));
      inFlight.set(key, response);
      return response;
    },
    kept(query) {
      const request = requestFor(query);
      return request === null || !spec.mayBeCached ? null : cache.any(keyOf(request));
    },
    reading: () => readingOf(spec, { breaker, record, quotaLeft: caller.quotaLeft() }),
  };
}

function readingOf(
  { name, about, scope, terms }: SourceSpec,
  { breaker, record, quotaLeft }: { breaker: Breaker; record: CallRecord; quotaLeft: number | null },
): SourceReading {
  return {
    ...{ name, about, scope, terms, state: 'on', why: null, quotaLeft },
    ...{ breaker: breaker.state(), ...figuresOf(record) },
  };
}

/** A source whose requests for two pages are equal has no further results. */
const NO_MORE: UpstreamResponse = { ok: true, items: [], cache: 'hit' };

/** A query for which every source of the whole web finds something. */
const CANARY = { ...NO_FILTERS, query: readQuery('wikipedia'), limit: 5, page: 0 };
