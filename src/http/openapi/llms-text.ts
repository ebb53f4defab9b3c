import type { Route } from '../calls/call.ts';
import { operationOf } from './document.ts';

/** GET /llms.txt: how a language model uses the service, in the format of https://llmstxt.org. */
export function llmsText(routes: readonly Route[], serviceUrl: string): string {
  const lines = routes.flatMap((route) => {
    const operation = operationOf(route);
    if (operation === null || operation.tag === 'operator') return [];
    const path = operation.path ?? route.paths[0] ?? '';
    const sample = operation.example?.body;
    const body = sample === undefined ? '' : ` Example body: \`${JSON.stringify(sample)}\`.`;
    return [`- \`${route.method} ${serviceUrl}${path}\`: ${operation.summary}. ${operation.about}${body}`];
  });
  return `# Sanderling

> Web search, page contents as Markdown, similar pages, crawl and research for programs and agents. Calls work without a key up to a daily limit; \`POST ${serviceUrl}/v1/keys/free\` gives a free key, sent as \`x-api-key\`.

On a 402, show its \`message\` to a person: it contains the link to buy credits. Quotations are verbatim from the page given with them.

## Calls

${lines.join('\n')}

## Docs

- [OpenAPI 3.1](${serviceUrl}/openapi.json): every field and every error
- [API reference](${serviceUrl}/docs): the same for people, with examples
- [Prices](${serviceUrl}/pricing)
`;
}
