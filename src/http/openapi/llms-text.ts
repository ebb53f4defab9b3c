import type { Route } from '../calls/call.ts';
import { describeOperation, type Operation } from '../calls/operation.ts';
import type { Terms } from '../calls/terms.ts';
import { findOperation, type Service } from './document.ts';

/** Builds GET /llms.txt, which tells a language model how to use the service, in the format of https://llmstxt.org. */
export function buildLlmsText(routes: readonly Route[], { serviceUrl, terms }: Service): string {
  const lines = routes.flatMap((route) => {
    const operation = findOperation(route);
    if (operation === null || isLeftOut(operation)) return [];
    const path = operation.path ?? route.paths[0] ?? '';
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

/** Returns true for operations that agents do not need: those for operators, and the shapes of other services. */
const isLeftOut = ({ tag }: Operation): boolean => tag === 'operator' || tag === 'drop-in';

function describeKeys({ keylessPerDay, freeKeys }: Terms, serviceUrl: string): string {
  const keyless =
    keylessPerDay === 0
      ? 'Every call needs a key, sent as `x-api-key`'
      : 'Calls work without a key up to a daily limit';
  if (!freeKeys) return `${keyless}.`;
  const sent = keylessPerDay === 0 ? '' : ', sent as `x-api-key`';
  return `${keyless}; \`POST ${serviceUrl}/v1/keys/free\` gives a free key${sent}.`;
}
