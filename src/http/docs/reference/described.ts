import type { Route } from '../../calls/call.ts';
import type { Operation } from '../../calls/operation.ts';
import { findOperation } from '../../openapi/document.ts';

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

function chooseGroup({ tag, id }: Operation): string {
  if (tag !== 'drop-in') return OWN_GROUPS[tag];
  return SERVICES.find(([, ids]) => ids.test(id))?.[0] ?? 'Functions';
}
