import type { Answer, FreeRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import type { Terms } from '../calls/terms.ts';
import { buildOpenApiDocument } from './document.ts';
import { buildLlmsText } from './llms-text.ts';

/** Builds the routes that describe the API to programs: /openapi.json and /llms.txt. */
export function buildDescriptionRoutes(
  routes: readonly Route[],
  { serviceUrl, terms }: { serviceUrl(): string; terms: Terms | null },
): Route[] {
  const createHandler = (make: (serviceUrl: string) => Answer): FreeRoute['handle'] =>
    createCachedHandler(make, serviceUrl);
  return [
    {
      ...buildGetRoute(
        '/openapi.json',
        createHandler((url) => ({
          body: buildOpenApiDocument(routes, { serviceUrl: url, terms }),
          headers: KEPT_SHORTLY,
        })),
      ),
      forAnyPage: true,
    },
    {
      ...buildGetRoute(
        '/llms.txt',
        createHandler((url) => ({
          body: buildLlmsText(routes, { serviceUrl: url, terms }),
          headers: { 'content-type': 'text/plain; charset=utf-8', ...KEPT_SHORTLY },
        })),
      ),
      forAnyPage: true,
    },
  ];
}

/** Builds the response once: it depends only on the service URL, which is known once the server listens. */
function createCachedHandler(
  make: (serviceUrl: string) => Answer,
  serviceUrl: () => string,
): FreeRoute['handle'] {
  let kept: { url: string; answer: Answer } | null = null;
  return async () => {
    const url = serviceUrl();
    if (kept?.url !== url) kept = { url, answer: encodeBody(make(url)) };
    return kept.answer;
  };
}

/** Encodes the body once, so that every connection sends the same buffer. */
function encodeBody(answer: Answer): Answer {
  const { body, headers } = answer;
  if (body instanceof Uint8Array) return answer;
  const isText = typeof body === 'string';
  return {
    body: Buffer.from(isText ? body : JSON.stringify(body)),
    headers: { ...(isText ? {} : { 'content-type': 'application/json; charset=utf-8' }), ...headers },
  };
}

const KEPT_SHORTLY = { 'Cache-Control': 'public, max-age=300' };

function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.prompt, compress: true, handle };
}
