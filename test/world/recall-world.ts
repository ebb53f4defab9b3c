import { readConfig } from '../../src/config.ts';
import { createBackground } from '../../src/platform/background.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Recall } from '../../src/retrieval/recall/recall.ts';
import { createRecallAll, type RecallLimits } from '../../src/retrieval/recall/recall-all.ts';
import { createUpstreams, type Upstreams } from '../../src/retrieval/recall/upstream/create-upstreams.ts';
import { createSearch, type Search, type SearchRequest } from '../../src/retrieval/search.ts';
import { createSearchCache } from '../../src/retrieval/search-cache.ts';
import type { UpstreamItem, UpstreamName } from './upstream/bodies.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** Four sources of the whole web, which every query fits. */
export const WEB_SOURCES = ['searxng', 'brave', 'mojeek', 'kagi'] as const;

/** Settings under which these sources are asked at the upstream, and nobody else. */
export function settingsOf(
  upstream: Upstream,
  names: readonly UpstreamName[] = WEB_SOURCES,
): Record<string, string> {
  const settings: Record<string, string> = { RECALL: names.join(','), CONTACT: 'tests@example.org' };
  const consent = new Set<UpstreamName>(['brave', 'mojeek', 'kagi', 'marginalia']);
  for (const name of names) {
    settings[`${name.toUpperCase()}_URL`] = upstream.baseUrl(name);
    if (consent.has(name)) settings[`${name.toUpperCase()}_API_KEY`] = 'key';
  }
  settings.ACCEPT_PROVIDER_TERMS = names.filter((name) => consent.has(name)).join(',');
  return settings;
}

/** Four results that name their source. */
export const itemsOf = (name: string): UpstreamItem[] =>
  Array.from({ length: 4 }, (_, place) => ({
    url: `https://${name}.example.org/${place}`,
    title: `Page ${place} of ${name}`,
    snippet: '',
    publishedDay: null,
  }));

export type RecallWorld = {
  upstream: Upstream;
  upstreams: Upstreams;
  search: Search;
  /** A search over the same sources with other bounds, and a cache of its own. */
  searchWithin(limits: Partial<RecallLimits>): Search;
  close(): Promise<void>;
};

/** Searches over an upstream on loopback, without an own index unless one is given, and without pages. */
export async function startRecallWorld(
  options: { own?: Recall; limits?: Partial<RecallLimits>; clock?: Clock } = {},
): Promise<RecallWorld> {
  const upstream = await startUpstream();
  const clock = options.clock ?? systemClock;
  for (const name of WEB_SOURCES) upstream.play(name, { mode: 'ok', items: itemsOf(name) });
  const upstreams = createUpstreams(readConfig(settingsOf(upstream)), clock);
  const background = createBackground(createLog('silent'));
  const searchWithin = (limits: Partial<RecallLimits>): Search =>
    createSearch({
      recall: createRecallAll({
        own: options.own ?? null,
        upstreams: upstreams.running,
        clock,
        background,
        limits,
      }),
      openPage: () => Promise.reject(new Error('no page is opened here')),
      prune: () => Promise.reject(new Error('nothing is pruned here')),
      quote: () => Promise.reject(new Error('nothing is quoted here')),
      cache: createSearchCache({ sources: [], clock }),
      clock,
      reranker: null,
    });
  return {
    upstream,
    upstreams,
    search: searchWithin(options.limits ?? {}),
    searchWithin,
    async close() {
      await upstreams.close();
      await upstream.close();
      await background.drain();
    },
  };
}

export function searchRequest(query: string, parts: Partial<SearchRequest> = {}): SearchRequest {
  return {
    query,
    numResults: 10,
    includeDomains: [],
    excludeDomains: [],
    publishedFrom: null,
    publishedTo: null,
    contents: null,
    signal: new AbortController().signal,
    ...parts,
  };
}
