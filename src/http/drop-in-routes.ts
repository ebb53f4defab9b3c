/**
 * Routes in the API shapes of other services (Firecrawl, Jina, Linkup, Brave and others). Each handler translates its shape to the search,
 * contents and read operations, so that existing clients only change their base URL. Nothing is priced or fetched differently here.
 */
import type { Contents } from '../search/contents.ts';
import type { Read } from '../search/read.ts';
import { braveContextHandler } from './brave/context.ts';
import { type BraveDeps, braveWebHandler } from './brave/web.ts';
import type { FreeRoute, PricedRoute, Route } from './calls/call.ts';
import { LIMITS } from './calls/route-limits.ts';
import type { Terms } from './calls/terms.ts';
import { jsonList } from './drop-in/json-list.ts';
import { readForm } from './drop-in/parameters.ts';
import { firecrawlRoutes } from './firecrawl/routes.ts';
import { type JinaRouteDeps, jinaRoutes } from './jina/routes.ts';
import { linkupBalanceHandler } from './linkup/balance.ts';
import { linkupFetchHandler } from './linkup/fetch.ts';
import { linkupSearchHandler } from './linkup/search.ts';
import { functionOf } from './mcp/definitions.ts';
import { chosenTools } from './mcp/tools.ts';
import { openWebuiLoadHandler } from './open-webui/load.ts';
import { openWebuiSearchHandler } from './open-webui/search.ts';
import { type PerplexityDeps, perplexityHandler } from './perplexity/search.ts';
import { searxngRoutes } from './searxng/routes.ts';

type DropInDeps = Parameters<typeof searxngRoutes>[0] &
  JinaRouteDeps &
  Parameters<typeof firecrawlRoutes>[0] &
  BraveDeps &
  PerplexityDeps & {
    contents: Contents;
    read: Read;
    /** The prefix of tool names. */
    brand: string;
    terms: Terms | null;
  };

/** Builds the routes of every drop-in shape. */
export function dropInRoutes(deps: DropInDeps): Route[] {
  const { search, contents, read } = deps;
  return [
    ...searxngRoutes(deps),
    posted('/openwebui/search', LIMITS.search, openWebuiSearchHandler(search)),
    posted('/openwebui/load', LIMITS.pages, openWebuiLoadHandler(contents)),
    posted('/pplx/search', LIMITS.search, perplexityHandler(deps)),
    posted('/linkup/v1/search', LIMITS.search, linkupSearchHandler(search)),
    posted('/linkup/v1/fetch', LIMITS.page, linkupFetchHandler(read)),
    ...balanceRoutes(deps),
    ...gotOrPosted('/res/v1/web/search', LIMITS.search, braveWebHandler(deps)),
    ...gotOrPosted('/res/v1/llm/context', LIMITS.search, braveContextHandler(deps)),
    ...jinaRoutes(deps),
    ...firecrawlRoutes(deps),
    toolsRoute(deps),
  ];
}

/** GET /tools.json: the tools as function definitions for OpenAI-style chat APIs. */
function toolsRoute({ brand, terms }: DropInDeps): FreeRoute {
  const isMetered = terms !== null;
  const functions = chosenTools(null, { isMetered }).map((tool) => functionOf(tool, { brand, isMetered }));
  return {
    method: 'GET',
    paths: ['/tools.json'],
    callers: 'anybody',
    limit: LIMITS.prompt,
    forAnyPage: true,
    compress: true,
    handle: async () => jsonList(functions, { 'Cache-Control': 'public, max-age=300' }),
  };
}

function posted(path: string, limit: Route['limit'], prepare: PricedRoute['prepare']): PricedRoute {
  return { method: 'POST', paths: [path], callers: 'payer', limit, prepare };
}

/** Linkup's balance; no route where calls are not metered. */
function balanceRoutes({ terms, balanceOf }: DropInDeps): FreeRoute[] {
  if (terms === null) return [];
  const handle = linkupBalanceHandler(balanceOf);
  const paths = ['/linkup/v1/credits/balance'];
  return [{ method: 'GET', paths, callers: 'key', limit: LIMITS.ledger, handle }];
}

/** The parameters are in the query string or in a body. HEAD is not served, because it would run the search. */
function gotOrPosted(path: string, limit: Route['limit'], prepare: PricedRoute['prepare']): PricedRoute[] {
  const route = posted(path, limit, prepare);
  return [
    { ...route, method: 'GET', noHead: true },
    { ...route, readBody: readForm },
  ];
}
