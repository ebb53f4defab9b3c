/** The shape of SearXNG: search as JSON, CSV or RSS, its config and its health check. Engines, categories and languages have no effect. */
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Answer, FreeRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { readForm } from '../drop-in/parameters.ts';
import { createConfigHandler } from './config.ts';
import { createSearxngHandler, type SearxngSearchDeps } from './search.ts';

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
