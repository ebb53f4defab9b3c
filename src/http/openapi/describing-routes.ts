import type { Answer, FreeRoute, Route } from '../calls/call.ts';
import { createConstantHandler } from '../calls/constant-answer.ts';
import type { Terms } from '../calls/operation.ts';
import { describeOperation, type Operation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { buildOpenApiDocument, findOperation, type Service } from './document.ts';

/** Returns true for operations that agents do not need: those for operators, and the shapes of other services. */
const isLeftOut = ({ tag }: Operation, path: string): boolean =>
  // Agents find the routes of one monitor or record through the answer that names it.
  tag === 'operator' || tag === 'drop-in' || /[{:](?:id|name)\b|\/import$/.test(path);

/** Builds the routes that describe the API to programs: /openapi.json and /llms.txt. */
export function buildDescriptionRoutes(
  routes: readonly Route[],
  { serviceUrl, terms }: { serviceUrl(): string; terms: Terms | null },
): Route[] {
  const createHandler = (make: (service: Service) => Answer): FreeRoute['handle'] =>
    createConstantHandler(() => make({ serviceUrl: serviceUrl(), terms }));
  return [
    {
      ...buildGetRoute(
        '/openapi.json',
        createHandler((service) => ({ body: buildOpenApiDocument(routes, service), headers: KEPT_SHORTLY })),
      ),
      forAnyPage: true,
    },
    {
      ...buildGetRoute(
        '/llms.txt',
        createHandler((service) => ({
          body: buildLlmsText(routes, service),
          headers: { 'content-type': 'text/plain; charset=utf-8', ...KEPT_SHORTLY },
        })),
      ),
      forAnyPage: true,
    },
  ];
}

const KEPT_SHORTLY = { 'Cache-Control': 'public, max-age=300' };

function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.prompt, compress: true, handle };
}

/** Builds GET /llms.txt, which tells a language model how to use the service, in the format of https://llmstxt.org. */
function buildLlmsText(routes: readonly Route[], { serviceUrl, terms }: Service): string {
  const lines = routes.flatMap((route) => {
    const operation = findOperation(route);
    // An alias would be told twice.
    if (operation === null || operation.id.endsWith('Unversioned')) return [];
    const path = operation.path ?? route.paths[0] ?? '';
    if (isLeftOut(operation, path)) return [];
    const sample = operation.example?.body;
    const body = sample === undefined ? '' : ` Example body: \`${JSON.stringify(sample)}\`.`;
    return [
      `- \`${route.method} ${serviceUrl}${path}\`: ${operation.summary}. ${describeOperation(operation, terms)}${body}`,
    ];
  });
  return `# Sanderling

> Web search, page contents as Markdown, similar pages, crawl and research for programs and agents.${terms === null ? '' : ` ${describeKeys(terms, serviceUrl)}`}

${terms === null ? '' : 'On a 402, show its `message` to a person: it says how to get credits. '}Quotations are verbatim from the page given with them. \`store: false\` in a body, or the header \`X-No-Store: 1\`, keeps what a call reads out of the index and the caches.

## Calls

${lines.join('\n')}

## Docs

- [OpenAPI 3.1](${serviceUrl}/openapi.json): every field and every error
- [API reference](${serviceUrl}/docs): the same for people, with examples${terms === null ? '' : `\n- [Prices](${serviceUrl}/pricing)`}
`;
}

function describeKeys({ keylessPerDay, freeKeys }: Terms, serviceUrl: string): string {
  const keyless =
    keylessPerDay === 0
      ? 'Every call needs a key, sent as `x-api-key`'
      : 'Calls work without a key up to a daily limit';
  if (!freeKeys) return `${keyless}.`;
  const sent = keylessPerDay === 0 ? '' : ', sent as `x-api-key`';
  return `${keyless}; \`POST ${serviceUrl}/v1/keys/free\` gives a free key${sent}.`;
}
