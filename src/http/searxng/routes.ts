/** The shape of SearXNG: search as JSON, CSV or RSS, its config and its health check. Engines, categories and languages have no effect. */

import { PRICES } from '../../billing/ledger/prices.ts';
import { VERSION } from '../../contract/version.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { Answer, FreeRoute, JsonObject, PricedRoute, Route, WorkResult } from '../calls/call.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { buildIgnoredHeader, parseBody } from '../calls/wire.ts';
import { mergeParameters, readForm } from '../drop-in/parameters.ts';
import { readSiteOperators } from '../drop-in/site-operators.ts';
import { buildSnippetRequest } from '../drop-in/snippets.ts';
import { computePublishedSpan } from '../shape-b/published-span.ts';
import {
  CATEGORY,
  ENGINE,
  findIgnoredParameters,
  PAGE_RESULTS,
  PAGES_MAX,
  renderResults,
  SearxngFields,
} from './formats.ts';

const NOTHING: Pick<SearchAnswer, 'results' | 'sources'> = { results: [], sources: {} };

/** Dependencies of the shape. */
type SearxngDeps = SearxngSearchDeps & {
  /** The current state of every recall source. */
  sourceReadings(): SourceReading[];
};

/** Builds the routes; applications that cannot send a key header may put the key in the path. */
export function buildSearxngRoutes(deps: SearxngDeps): Route[] {
  const paths = ['/searxng/search', '/searxng', '/searxng/:key/search', '/searxng/:key'];
  const prepare = createSearxngHandler(deps);
  const search = { callers: 'payer', paths, limit: LIMITS.search, noHead: true, prepare } as const;
  return [
    { ...search, method: 'GET' },
    { ...search, method: 'POST', readBody: readForm },
    buildFreeRoute(['/searxng/config', '/searxng/:key/config'], createConfigHandler(deps.sourceReadings)),
    { ...buildFreeRoute(['/searxng/healthz', '/searxng/:key/healthz'], answerLiveness), probe: true },
  ];
}

/** Answers `OK`, which clients that probe a SearXNG expect. */
async function answerLiveness(): Promise<Answer> {
  return { body: 'OK', headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

function buildFreeRoute(paths: string[], handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths, callers: 'anybody', limit: LIMITS.prompt, handle };
}

/** GET /searxng/config: the options of a client, and the upstream sources as engines. */
function createConfigHandler(readings: () => SourceReading[]): () => Promise<Answer> {
  return async () => ({
    body: {
      instance_name: ENGINE,
      version: VERSION,
      categories: [CATEGORY],
      engines: readings().map(toEngine),
      plugins: [],
      locales: { en: 'English' },
      default_locale: 'en',
      default_theme: 'simple',
      autocomplete: '',
      safe_search: 0,
      public_instance: false,
    },
  });
}

function toEngine({ name, state }: SourceReading): JsonObject {
  return {
    name,
    categories: [CATEGORY],
    shortcut: name,
    enabled: state === 'on',
    paging: true,
    language_support: false,
    languages: [],
    regions: [],
    safesearch: false,
    time_range_support: true,
  };
}

type SearxngSearchDeps = { search: Search; clock: Clock; serviceUrl(): string };

/**
 * GET and POST /searxng/search: one page of results, each with the best passage of its cached copy or its source's snippet.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
function createSearxngHandler({ search, clock, serviceUrl }: SearxngSearchDeps): PricedRoute['prepare'] {
  return ({ query, body, tenant, keep }) => {
    const parameters = mergeParameters(query, body);
    const wanted = parseBody(SearxngFields, parameters);
    const headers = buildIgnoredHeader(findIgnoredParameters(parameters));
    const buildResponse = (answer: typeof NOTHING): Pick<WorkResult, 'body' | 'headers'> => {
      const { body, contentType } = renderResults(answer, {
        query: wanted.q,
        format: wanted.format,
        link: serviceUrl(),
      });
      return { body, headers: { 'content-type': contentType, ...headers } };
    };
    if (wanted.pageno > PAGES_MAX)
      return { most: 0, work: async () => ({ used: 0, ...buildResponse(NOTHING) }) };
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...readSiteOperators(wanted.q),
          numResults: wanted.pageno * PAGE_RESULTS,
          ...computePublishedSpan(wanted, clock.now()),
          ...buildSnippetRequest(1),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const { results, sources, cache, timingsMs, incomplete } = answer;
        const used = computeSearchCredits(answer);
        const page = results.slice((wanted.pageno - 1) * PAGE_RESULTS);
        return { used, cache, timingsMs, incomplete, ...buildResponse({ results: page, sources }) };
      },
    };
  };
}
