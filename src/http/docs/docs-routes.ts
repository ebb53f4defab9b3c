import { Failure } from '../../contract/errors.ts';
import { lazily } from '../../platform/loaded-once.ts';
import type { Answer, FreeRoute, Route } from '../calls/call.ts';
import { aboutOf } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { requestSchema } from '../openapi/json-schema.ts';
import type { Html } from '../site/html.ts';
import type { Website } from '../site/shell/site.ts';
import {
  documentPage,
  documentsFor,
  type GuideDocument,
  INTEGRATIONS,
  servicePages,
} from './documents/documents.ts';
import { foundPage, overviewPage } from './overview-page.ts';
import { type Described, describedOf, GROUPS } from './reference/described.ts';
import { fieldRows } from './reference/field-rows.ts';
import { operationPage } from './reference/operation-page.ts';
import { triedPage } from './reference/tried-page.ts';
import { type DocsPage, searchDocs } from './search-docs.ts';
import { type DocsGroup, sidebarOf } from './sidebar.ts';

type DocsDeps = { serviceUrl(): string; site: Website };

/** The documentation: reference, guides and integrations. */
export function docsRoutes(routes: readonly Route[], deps: DocsDeps): Route[] {
  const { site } = deps;
  // Made when somebody opens a page: a start need not wait for them.
  const described = lazily(() => describedOf(routes));
  const documents = lazily(() => documentsFor({ isMetered: site.terms !== null }));
  const groups = lazily(() => groupsOf(described(), documents()));
  const pages = lazily(() => pagesOf(described(), { documents: documents(), site }));
  const sidebar = (open: string): Html => sidebarOf(groups(), open);
  const operationCalled = (id: string | undefined): Described => {
    const one = described().find(({ operation }) => operation.id === id);
    if (one === undefined) throw new Failure('not_found', 'There is no such operation.');
    return one;
  };
  return [
    get('/docs', async ({ query }) => {
      const wanted = (query.get('q') ?? '').trim();
      if (wanted !== '')
        return foundPage({
          site,
          sidebar: sidebar('/docs'),
          query: wanted,
          found: searchDocs(pages(), wanted),
        });
      const [, guides = { title: 'Guides', links: [] }] = groups();
      return overviewPage({
        site,
        serviceUrl: deps.serviceUrl(),
        sidebar: sidebar('/docs'),
        described: described(),
        guides,
      });
    }),
    get('/docs/api/:id', async ({ params }) => {
      const one = operationCalled(params.id);
      const href = hrefOf(one);
      return operationPage(one, {
        site,
        serviceUrl: deps.serviceUrl(),
        terms: site.terms,
        sidebar: sidebar(href),
      });
    }),
    {
      ...get('/docs/api/:id', (call, runAlso) => {
        const one = operationCalled(call.params.id);
        return triedPage(one, call, { site, sidebar: sidebar(hrefOf(one)), runAlso });
      }),
      method: 'POST',
      limit: LIMITS.play,
    },
    ...['/docs/guides/:name', '/docs/integrations/:name', '/docs/integrations'].map((path) =>
      get(path, async ({ target }) =>
        documentAt(target.split('?')[0] ?? '', { documents: documents(), deps, sidebar }),
      ),
    ),
    ...servicePages(site).map(({ path, handle }) => get(path, handle)),
  ];
}

const hrefOf = ({ operation }: Described): string => `/docs/api/${operation.id}`;

function documentAt(
  href: string,
  { documents, deps, sidebar }: { documents: GuideDocument[]; deps: DocsDeps; sidebar(open: string): Html },
): Answer {
  const found = documents.find((one) => one.href === href.replace(/\/$/, ''));
  if (found === undefined) throw new Failure('not_found', 'There is no such page.');
  return documentPage(found, { ...deps, sidebar: sidebar(found.href) });
}

function groupsOf(described: readonly Described[], documents: GuideDocument[]): DocsGroup[] {
  const linkOf = ({ href, title }: GuideDocument) => ({ href, title, words: title.toLowerCase() });
  const isRecipe = ({ href }: GuideDocument): boolean => href.startsWith(INTEGRATIONS);
  return [
    { title: 'Documentation', links: [{ href: '/docs', title: 'Overview', words: 'overview keys' }] },
    { title: 'Guides', links: documents.filter((one) => !isRecipe(one)).map(linkOf) },
    ...GROUPS.map((title) => ({
      title,
      links: described
        .filter(({ group }) => group === title)
        .map(({ operation, path }) => ({
          href: `/docs/api/${operation.id}`,
          title: operation.summary,
          words: `${operation.summary} ${path}`.toLowerCase(),
        })),
    })).filter(({ links }) => links.length > 0),
    { title: 'Integrations', links: documents.filter(isRecipe).map(linkOf) },
  ];
}

function pagesOf(
  described: readonly Described[],
  { documents, site }: { documents: GuideDocument[]; site: Website },
): DocsPage[] {
  const operations = described.map(({ operation, route, path, group }): DocsPage => {
    const fields = fieldRows(requestSchema(operation) ?? {});
    const names = [
      ...(operation.parameters ?? []).map(({ name }) => name),
      ...fields.flatMap(({ name, other }) => [name, other ?? '']),
    ];
    return {
      href: `/docs/api/${operation.id}`,
      title: operation.summary,
      group,
      about: `${route.method} ${path}: ${aboutOf(operation, site.terms).replaceAll('`', '')}`,
      text: [...route.paths, ...names, ...operation.errors].join(' '),
    };
  });
  const written = documents.map(({ href, title, text }): DocsPage => {
    const group = href.startsWith(INTEGRATIONS) ? 'Integrations' : 'Guides';
    return { href, title, group, about: firstSentence(text), text };
  });
  return [...operations, ...written];
}

/** The first sentence after the heading. */
const firstSentence = (text: string): string =>
  (/\n\n([^\n#|`][^\n]*?[.:])(?:\s|$)/.exec(text)?.[1] ?? '').replaceAll('`', '');

function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return {
    method: 'GET',
    paths: [path],
    callers: 'anybody',
    limit: LIMITS.prompt,
    pages: 'always',
    compress: true,
    handle,
  };
}
