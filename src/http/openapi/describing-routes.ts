import { Failure } from '../../errors.ts';
import type { Answer, FreeRoute, Route } from '../call.ts';
import { reference } from '../site/reference.ts';
import { openApiDocument } from './document.ts';
import { llmsText } from './llms-text.ts';

/** What tells of the other routes: /openapi.json, /llms.txt and /docs. */
export function describingRoutes(routes: readonly Route[], serviceUrl: () => string): Route[] {
  const json = async (): Promise<Answer> => ({
    body: openApiDocument(routes, serviceUrl()),
    headers: KEPT_SHORTLY,
  });
  const text = async (): Promise<Answer> => ({
    body: llmsText(routes, serviceUrl()),
    headers: { 'content-type': 'text/plain; charset=utf-8', ...KEPT_SHORTLY },
  });
  return [
    get('/openapi.json', json),
    get('/llms.txt', text),
    { ...get('/docs', reference(routes, serviceUrl)), pages: 'always' },
  ];
}

const KEPT_SHORTLY = { 'Cache-Control': 'public, max-age=300' };

function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return {
    method: 'GET',
    paths: [path],
    callers: 'anybody',
    limit: { ms: 1_000, late: () => new Failure('overloaded', 'The service does not answer in time.') },
    handle,
  };
}
