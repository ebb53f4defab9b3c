import { Failure } from '../../contract/errors.ts';
import type { Answer, FreeRoute, Route } from '../calls/call.ts';
import { openApiDocument } from './document.ts';
import { llmsText } from './llms-text.ts';
import { referencePage } from './reference.ts';

/** What tells of the other routes: /openapi.json, /llms.txt and /docs. */
export function describingRoutes(routes: readonly Route[], serviceUrl: () => string): Route[] {
  const told = (make: (serviceUrl: string) => Answer): FreeRoute['handle'] => madeOnce(make, serviceUrl);
  return [
    {
      ...get(
        '/openapi.json',
        told((url) => ({ body: openApiDocument(routes, url), headers: KEPT_SHORTLY })),
      ),
      forAnyPage: true,
    },
    {
      ...get(
        '/llms.txt',
        told((url) => ({
          body: llmsText(routes, url),
          headers: { 'content-type': 'text/plain; charset=utf-8', ...KEPT_SHORTLY },
        })),
      ),
      forAnyPage: true,
    },
    {
      ...get(
        '/docs',
        told((url) => referencePage(routes, url)),
      ),
      pages: 'always',
    },
  ];
}

/** What these tell changes with nothing but the address of the service, which is known once it listens. */
function madeOnce(make: (serviceUrl: string) => Answer, serviceUrl: () => string): FreeRoute['handle'] {
  let kept: { url: string; answer: Answer } | null = null;
  return async () => {
    const url = serviceUrl();
    if (kept?.url !== url) kept = { url, answer: inBytes(make(url)) };
    return kept.answer;
  };
}

/** The same answer as bytes, of which every connection sends the same copy. */
function inBytes(answer: Answer): Answer {
  const { body, headers } = answer;
  if (body instanceof Uint8Array) return answer;
  const isText = typeof body === 'string';
  return {
    body: Buffer.from(isText ? body : JSON.stringify(body)),
    headers: { ...(isText ? {} : { 'content-type': 'application/json; charset=utf-8' }), ...headers },
  };
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
