/**
 * Routes in the API shapes of other services (Firecrawl, Jina, Linkup, Brave and others). Each handler translates its shape to the search,
 * contents and read operations, so that existing clients only change their base URL. Nothing is priced or fetched differently here.
 */
import type { Contents } from '../search/contents.ts';
import type { ReadOperation } from '../search/read.ts';
import { createBraveContextHandler } from './brave/context.ts';
import { type BraveDeps, createBraveWebHandler } from './brave/web.ts';
import type { FreeRoute, PricedRoute, Route } from './calls/call.ts';
import type { Terms } from './calls/operation.ts';
import { LIMITS } from './calls/route-limits.ts';
import { buildJsonList } from './drop-in/json-list.ts';
import { readForm } from './drop-in/parameters.ts';
import { buildFirecrawlRoutes } from './firecrawl/routes.ts';
import { buildJinaRoutes, type JinaRouteDeps } from './jina/routes.ts';
import { createLinkupBalanceHandler, createLinkupFetchHandler } from './linkup/fetch.ts';
import { createLinkupSearchHandler } from './linkup/search.ts';
import { buildFunctionDefinition } from './mcp/definitions.ts';
import { selectTools } from './mcp/tools.ts';
import { createOpenWebuiLoadHandler } from './open-webui/load.ts';
import { createOpenWebuiSearchHandler } from './open-webui/search.ts';
import { createPerplexityHandler, type PerplexityDeps } from './perplexity/search.ts';
import { buildSearxngRoutes } from './searxng/routes.ts';

type DropInDeps = Parameters<typeof buildSearxngRoutes>[0] &
  JinaRouteDeps &
  Parameters<typeof buildFirecrawlRoutes>[0] &
  BraveDeps &
  PerplexityDeps & {
    contents: Contents;
    read: ReadOperation;
    /** The prefix of tool names. */
    brand: string;
    terms: Terms | null;
  };

/** Builds the routes of every drop-in shape. */
export function buildDropInRoutes(deps: DropInDeps): Route[] {
  const { search, contents, read } = deps;
  return [
    ...buildSearxngRoutes(deps),
    buildPricedRoute('/openwebui/search', LIMITS.search, createOpenWebuiSearchHandler(search)),
    buildPricedRoute('/openwebui/load', LIMITS.pages, createOpenWebuiLoadHandler(contents)),
    buildPricedRoute('/pplx/search', LIMITS.search, createPerplexityHandler(deps)),
    buildPricedRoute('/linkup/v1/search', LIMITS.search, createLinkupSearchHandler(search)),
    buildPricedRoute('/linkup/v1/fetch', LIMITS.page, createLinkupFetchHandler(read)),
    ...buildBalanceRoutes(deps),
    ...buildGetAndPostRoutes('/res/v1/web/search', LIMITS.search, createBraveWebHandler(deps)),
    ...buildGetAndPostRoutes('/res/v1/llm/context', LIMITS.search, createBraveContextHandler(deps)),
    ...buildJinaRoutes(deps),
    ...buildFirecrawlRoutes(deps),
    buildToolsRoute(deps),
  ];
}

/** GET /tools.json: the tools as function definitions for OpenAI-style chat APIs. */
function buildToolsRoute({ brand, terms }: DropInDeps): FreeRoute {
  const isMetered = terms !== null;
  const functions = selectTools(null, { isMetered }).map((tool) =>
    buildFunctionDefinition(tool, { brand, isMetered }),
  );
  return {
    method: 'GET',
    paths: ['/tools.json'],
    callers: 'anybody',
    limit: LIMITS.prompt,
    forAnyPage: true,
    compress: true,
    handle: async () => buildJsonList(functions, { 'Cache-Control': 'public, max-age=300' }),
  };
}

function buildPricedRoute(path: string, limit: Route['limit'], prepare: PricedRoute['prepare']): PricedRoute {
  return { method: 'POST', paths: [path], callers: 'payer', limit, prepare };
}

/** Linkup's balance; no route where calls are not metered. */
function buildBalanceRoutes({ terms, balanceOf }: DropInDeps): FreeRoute[] {
  if (terms === null) return [];
  const handle = createLinkupBalanceHandler(balanceOf);
  const paths = ['/linkup/v1/credits/balance'];
  return [{ method: 'GET', paths, callers: 'key', limit: LIMITS.ledger, handle }];
}

/** The parameters are in the query string or in a body. HEAD is not served, because it would run the search. */
function buildGetAndPostRoutes(
  path: string,
  limit: Route['limit'],
  prepare: PricedRoute['prepare'],
): PricedRoute[] {
  const route = buildPricedRoute(path, limit, prepare);
  return [
    { ...route, method: 'GET', noHead: true },
    { ...route, readBody: readForm },
  ];
}
