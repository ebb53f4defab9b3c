import { Readable } from 'node:stream';
import { Failure, STATUS_OF } from '../../../contract/errors.ts';
import type { Answer, Call, JsonObject, Route, RunNestedRoute } from '../../calls/call.ts';
import { readJsonObject } from '../../calls/json-body.ts';
import type { Operation } from '../../calls/operation.ts';
import { findOperation } from '../../openapi/document.ts';
import { parseForm } from '../../site/form.ts';
import { type Html, html } from '../../site/html.ts';
import { buildPage } from '../../site/layout.ts';
import { renderCodeBlock } from '../../site/shell/parts.ts';
import type { Website } from '../../site/shell/site.ts';

const OWN_GROUPS: Record<Exclude<Operation['tag'], 'drop-in'>, string> = {
  search: 'Search',
  pages: 'Pages',
  research: 'Research',
  account: 'Account',
  'second shape': 'Second shape (Tavily)',
  operator: 'For operators',
};
/** Shapes of other services, by the id of their operations. */
const SERVICES: [string, RegExp][] = [
  ['SearXNG', /^searxng/],
  ['Jina and Cohere', /^(?:jina|rerank|readGiven)/],
  ['Firecrawl', /firecrawl/i],
  ['Open WebUI', /^openWebui/],
  ['Perplexity', /^perplexity/],
  ['Linkup', /^linkup/],
  ['Brave', /^brave/],
  ['Functions', /^tools/],
];
/** The titles of the groups, in their order. */
export const GROUPS: readonly string[] = [
  ...['search', 'pages', 'research', 'account', 'second shape'].map((tag) => OWN_GROUPS[tag as 'search']),
  ...SERVICES.map(([title]) => title),
  OWN_GROUPS.operator,
];

type TrialResult = { status: number; text: string; remaining: number | null };

/** Builds POST /docs/api/{id}: runs the operation for a visitor without scripts, charged like any call, and shows the answer. */
export async function buildTrialPage(
  { operation, route, path }: DocumentedOperation,
  call: Call,
  { site, sidebar, runAlso }: { site: Website; sidebar: Html; runAlso: RunNestedRoute },
): Promise<Answer> {
  if (route.callers !== 'payer' || operation.body === undefined)
    throw new Failure('not_found', 'This operation cannot be tried with a form.');
  const form = parseForm(call);
  const key = form.get('key') ?? '';
  const run = async (): Promise<TrialResult> => {
    const body = readJsonObject(new TextEncoder().encode(form.get('body') ?? ''));
    const headers = key === '' ? {} : { 'x-api-key': key };
    const { answer, remaining } = await runAlso(route, { target: path, body, headers });
    return { status: 200, text: formatBody(answer.body), remaining };
  };
  const tried = await run().catch(toTrialFailure);
  return buildPage({
    site,
    title: operation.summary,
    status: tried.status,
    place: '/docs',
    sidebar: { title: 'Documentation', links: sidebar },
    main: html`<h1>${operation.summary}</h1>
<p>Status <code>${tried.status}</code>${tried.remaining === null ? null : html`, ${tried.remaining} left`}.</p>
${renderCodeBlock({ id: 'answer', label: 'Response', code: tried.text })}
<p><a class="button second" href="/docs/api/${operation.id}#try">Try again</a></p>`,
  });
}

function formatBody(body: Answer['body']): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (!(body instanceof Readable)) return formatJson(body);
  body.destroy();
  return 'The answer is a stream of events, which a page without scripts cannot show.';
}

const formatJson = (body: JsonObject): string => JSON.stringify(body, null, 2);

function toTrialFailure(failure: unknown): TrialResult {
  if (!(failure instanceof Failure) || failure.code === 'internal') throw failure;
  const { code, message } = failure;
  return { status: STATUS_OF[code], text: formatJson({ error: code, message }), remaining: null };
}

/** An operation with the route that serves it. */
export type DocumentedOperation = { operation: Operation; route: Route; path: string; group: string };

/** Lists the documented operations of these routes, in the order of the groups. */
export function listDocumentedOperations(routes: readonly Route[]): DocumentedOperation[] {
  const all = routes.flatMap((route): DocumentedOperation[] => {
    const operation = findOperation(route);
    if (operation === null) return [];
    const path = operation.path ?? (route.paths[0] ?? '').replace(/:(\w+)/g, '{$1}');
    return [{ operation, route, path, group: chooseGroup(operation) }];
  });
  return GROUPS.flatMap((group) => all.filter((one) => one.group === group));
}

function chooseGroup({ tag, id }: Operation): string {
  if (tag !== 'drop-in') return OWN_GROUPS[tag];
  return SERVICES.find(([, ids]) => ids.test(id))?.[0] ?? 'Functions';
}
