/**
 * An upstream source at run time: a declared source with the operator's settings, bounded in rate and concurrency, behind a circuit
 * breaker, and cached if its terms allow it. Equal requests share one call. What a source asks and reads is declared in `sources/`.
 */
import { createSingleFlight } from '../../pages/single-flight.ts';
import { type Breaker, createBreaker } from '../../platform/circuit-breaker.ts';
import type { Clock } from '../../platform/clock.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import type { SourceItem, SourceRequest, SourceSettings, SourceSpec } from '../source.ts';
import { canAnswer, chooseRate } from '../sources/all-sources.ts';
import { VIA_HEADER } from '../sources/sanderling.ts';
import { createCallWindow } from './call-window.ts';
import type { AnswerCache, SharedSources } from './shared-sources.ts';
import { ABANDONED, createCaller } from './source-caller.ts';
import { type CallRecord, createCallRecord, summarizeCalls } from './source-wire.ts';
import type { SourceReading, Upstream, UpstreamQuery, UpstreamResponse } from './upstream-types.ts';

type UpstreamDeps = {
  settings: SourceSettings;
  fetch: GuardedFetch;
  clock: Clock;
  cache: AnswerCache;
  /** State shared between processes; absent or null: this process is alone. */
  shared?: SharedSources | null;
};

/** Creates the upstream of a declared source. */
export function createUpstream(
  spec: SourceSpec,
  { settings, fetch, clock, cache, shared = null }: UpstreamDeps,
): Upstream {
  const rate = chooseRate(spec, settings.key);
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
    shared: shared && { ...shared, name: spec.name, rate },
  });
  // A MediaWiki other than Wikipedia returns its own articles.
  const hosts = spec.hosts === null ? null : [...spec.hosts, new URL(settings.baseUrl).hostname];

  const buildRequest = (query: UpstreamQuery): SourceRequest | null => {
    const condensed = query.query.condensed(spec.queryMax);
    return condensed === null ? null : spec.request({ ...query, query: condensed }, settings);
  };
  const buildCanary = (): SourceRequest => spec.request({ ...CANARY }, settings);
  const buildCacheKey = (request: SourceRequest): string => `${spec.name} ${nameRequest(request)}`;
  const errors = createErrorNote(clock);
  const call: CallSource = async (request, { isLastResort, until }) =>
    errors.noting(await caller.call(request, { canary: buildCanary, isLastResort, until }));
  const answers = createKeptAnswers(spec, { cache, shared });
  const callOnce = shareCalls(call, (request, items) => answers.keep(buildCacheKey(request), items));

  return {
    name: spec.name,
    scope: spec.scope,
    mayBeCached: spec.mayBeCached,
    ...(spec.weight === undefined ? {} : { weight: spec.weight }),
    ...(spec.mayAsk === undefined ? {} : { mayAsk: spec.mayAsk }),
    fitOf: (traits, includeDomains) => (canAnswer({ hosts }, includeDomains) ? spec.fit(traits) : 0),
    isWaitedFor: () => breaker.state() === 'closed' && !caller.lastWasLate(),
    isClosed: () => breaker.state() === 'closed',
    markSlow: caller.markSlow,
    async ask(query, { isLastResort = false, until = createEndlessSignal() } = {}) {
      const request = buildRequest(query);
      if (request === null) return UNSUITABLE;
      if (query.page > 0 && request.url === buildRequest({ ...query, page: 0 })?.url) return NO_MORE;
      const fresh = await answers.fresh(buildCacheKey(request));
      if (fresh !== null) return { ok: true, items: fresh, cache: 'hit' };
      if (until.aborted) return ABANDONED;
      if (query.keep === false) return call(request, { isLastResort, until });
      return callOnce(request, { isLastResort, until: spec.mayBeCached ? createEndlessSignal() : until });
    },
    kept(query) {
      const request = buildRequest(query);
      return request === null || !spec.mayBeCached ? null : cache.any(buildCacheKey(request));
    },
    reading: () =>
      buildReading(spec, { breaker, record, quotaLeft: caller.quotaLeft(), lastError: errors.last() }),
  };
}

/** Names a request. A peer's answer also depends on the servers that the search has passed: it does not ask those again. */
const nameRequest = ({ url, headers }: SourceRequest): string => `${url} ${headers[VIA_HEADER] ?? ''}`.trim();

/** Creates access to cached answers of a source, if its terms allow caching: this process's own first, then those of others. */
function createKeptAnswers(
  { mayBeCached }: SourceSpec,
  { cache, shared }: { cache: AnswerCache; shared: SharedSources | null },
) {
  return {
    fresh: async (key: string): Promise<SourceItem[] | null> =>
      mayBeCached ? (cache.fresh(key) ?? (await shared?.found(key)) ?? null) : null,
    keep(key: string, items: SourceItem[]): void {
      if (!mayBeCached) return;
      cache.keep(key, items);
      shared?.keep(key, items);
    },
  };
}

type CallSource = (
  request: SourceRequest,
  options: { isLastResort: boolean; until: AbortSignal },
) => Promise<UpstreamResponse>;

/** Returns a signal that never fires, for a call whose answer the next search can use. */
const createEndlessSignal = (): AbortSignal => new AbortController().signal;

/** Remembers the last answer that was an error. */
function createErrorNote(clock: Clock): {
  noting(response: UpstreamResponse): UpstreamResponse;
  last(): SourceReading['lastError'];
} {
  let last: SourceReading['lastError'] = null;
  return {
    noting(response) {
      // A refusal by the breaker only repeats an earlier error.
      if (!response.ok && response.error !== 'circuit_open' && response !== ABANDONED)
        last = { error: response.error, detail: response.detail, at: clock.now() };
      return response;
    },
    last: () => last,
  };
}

/** Makes one call at a time for equal requests, and passes its results to `keep`. The call ends when the last caller has left. */
function shareCalls(
  call: CallSource,
  keep: (request: SourceRequest, items: SourceItem[]) => void,
): CallSource {
  const flights = createSingleFlight<UpstreamResponse>(() => true);
  const start = async (...[request, options]: Parameters<CallSource>): Promise<UpstreamResponse> => {
    const response = await call(request, options);
    if (response.ok) keep(request, response.items);
    return response;
  };
  return async (request, { isLastResort, until }) => {
    try {
      return await flights.join(nameRequest(request), until, (left) =>
        start(request, { isLastResort, until: left }),
      );
    } catch (error) {
      if (until.aborted) return ABANDONED;
      throw error;
    }
  };
}

function buildReading(
  { name, about, scope, terms }: SourceSpec,
  known: Pick<SourceReading, 'quotaLeft' | 'lastError'> & { breaker: Breaker; record: CallRecord },
): SourceReading {
  const { breaker, record, quotaLeft, lastError } = known;
  return {
    name,
    about,
    scope,
    terms,
    state: 'on',
    why: null,
    quotaLeft,
    lastError,
    breaker: breaker.state(),
    ...summarizeCalls(record),
  };
}

const UNSUITABLE: UpstreamResponse = {
  ok: false,
  error: 'unsuitable_query',
  detail: 'no word of the query fits within its limits',
};

/** A source whose requests for two pages are equal has no further results. */
const NO_MORE: UpstreamResponse = { ok: true, items: [], cache: 'hit' };

/** A query for which every source of the whole web finds something. */
const CANARY = { ...NO_FILTERS, query: readQuery('wikipedia'), limit: 5, page: 0 };
