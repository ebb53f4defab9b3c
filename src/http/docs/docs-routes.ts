/**
 * The documentation under /docs: the API reference, built from the operations of the routes, and the guides and recipes, rendered from
 * Markdown files of the project. Pages depend on the terms of the server: without metering, nothing about credits is shown.
 */
import { Failure } from '../../contract/errors.ts';
import { createLazy } from '../../platform/lazy.ts';
import type { Answer, Call, FreeRoute, Route } from '../calls/call.ts';
import { createConstantHandler } from '../calls/constant-answer.ts';
import { describeOperation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { buildRequestSchema } from '../openapi/json-schema.ts';
import type { Html } from '../site/html.ts';
import type { Website } from '../site/shell/site.ts';
import {
  buildDocumentPage,
  type GuideDocument,
  INTEGRATIONS,
  listDocuments,
  listServicePages,
} from './documents/documents.ts';
import {
  buildOverviewPage,
  buildSearchResultsPage,
  type DocsGroup,
  type DocsPage,
  renderSidebar,
  searchDocs,
} from './overview-page.ts';
import { buildFieldRows } from './reference/field-rows.ts';
import { buildOperationPage } from './reference/operation-page.ts';
import {
  buildTrialPage,
  type DocumentedOperation,
  GROUPS,
  listDocumentedOperations,
} from './reference/tried-page.ts';

type DocsDeps = { serviceUrl(): string; site: Website };

/** Builds the routes of the documentation: reference, guides and integrations. */
export function buildDocsRoutes(routes: readonly Route[], deps: DocsDeps): Route[] {
  const { site } = deps;
  // Built when the first page is opened, so that the server starts without them.
  const described = createLazy(() => listDocumentedOperations(routes));
  const documents = createLazy(() => listDocuments({ isMetered: site.terms !== null }));
  const groups = createLazy(() => buildGroups(described(), documents()));
  const pages = createLazy(() => listDocsPages(described(), { documents: documents(), site }));
  const renderOpenSidebar = (open: string): Html => renderSidebar(groups(), open);
  const overview = createConstantHandler(() => {
    const [, guides = { title: 'Guides', links: [] }] = groups();
    return buildOverviewPage({
      site,
      serviceUrl: deps.serviceUrl(),
      sidebar: renderOpenSidebar('/docs'),
      described: described(),
      guides,
    });
  });
  const operations = createLazy(() => new Map(described().map((one) => [one.operation.id, one])));
  const operationPages = createConstantPages(
    described,
    ({ operation }) => operation.id,
    (one) =>
      buildOperationPage(one, {
        site,
        serviceUrl: deps.serviceUrl(),
        terms: site.terms,
        sidebar: renderOpenSidebar(buildHref(one)),
      }),
  );
  const documentPages = createConstantPages(
    documents,
    ({ href }) => href,
    (one) => buildDocumentPage(one, { ...deps, sidebar: renderOpenSidebar(one.href) }),
  );
  return [
    buildGetRoute('/docs', async (call, runAlso) => {
      const wanted = (call.query.get('q') ?? '').trim();
      if (wanted === '') return overview(call, runAlso);
      return buildSearchResultsPage({
        site,
        sidebar: renderOpenSidebar('/docs'),
        query: wanted,
        found: searchDocs(pages(), wanted),
      });
    }),
    buildGetRoute('/docs/api/:id', (call, runAlso) => findOperation(operationPages(), call)(call, runAlso)),
    {
      ...buildGetRoute('/docs/api/:id', (call, runAlso) => {
        const one = findOperation(operations(), call);
        return buildTrialPage(one, call, { site, sidebar: renderOpenSidebar(buildHref(one)), runAlso });
      }),
      method: 'POST',
      limit: LIMITS.play,
    },
    ...['/docs/guides/:name', '/docs/integrations/:name', '/docs/integrations'].map((path) =>
      buildGetRoute(path, (call, runAlso) => findDocument(documentPages(), call)(call, runAlso)),
    ),
    ...listServicePages(site).map(({ path, handle }) => buildGetRoute(path, handle)),
  ];
}

/** Creates the pages of a list by name; each is built when it is opened. */
function createConstantPages<One>(
  list: () => readonly One[],
  nameOf: (one: One) => string,
  build: (one: One) => Answer,
): () => Map<string, FreeRoute['handle']> {
  return createLazy(
    () => new Map(list().map((one) => [nameOf(one), createConstantHandler(() => build(one))])),
  );
}

const buildHref = ({ operation }: DocumentedOperation): string => `/docs/api/${operation.id}`;

function findOperation<One>(byId: ReadonlyMap<string, One>, { params }: Pick<Call, 'params'>): One {
  const one = byId.get(params.id ?? '');
  if (one === undefined) throw new Failure('not_found', 'There is no such operation.');
  return one;
}

function findDocument<One>(byHref: ReadonlyMap<string, One>, { target }: Pick<Call, 'target'>): One {
  const one = byHref.get((target.split('?')[0] ?? '').replace(/\/$/, ''));
  if (one === undefined) throw new Failure('not_found', 'There is no such page.');
  return one;
}

function buildGroups(described: readonly DocumentedOperation[], documents: GuideDocument[]): DocsGroup[] {
  const toLink = ({ href, title }: GuideDocument) => ({ href, title, words: title.toLowerCase() });
  const isRecipe = ({ href }: GuideDocument): boolean => href.startsWith(INTEGRATIONS);
  return [
    { title: 'Documentation', links: [{ href: '/docs', title: 'Overview', words: 'overview keys' }] },
    { title: 'Guides', links: documents.filter((one) => !isRecipe(one)).map(toLink) },
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
    { title: 'Integrations', links: documents.filter(isRecipe).map(toLink) },
  ];
}

function listDocsPages(
  described: readonly DocumentedOperation[],
  { documents, site }: { documents: GuideDocument[]; site: Website },
): DocsPage[] {
  const operations = described.map(({ operation, route, path, group }): DocsPage => {
    const fields = buildFieldRows(buildRequestSchema(operation) ?? {});
    const names = [
      ...(operation.parameters ?? []).map(({ name }) => name),
      ...fields.flatMap(({ name, other }) => [name, other ?? '']),
    ];
    return {
      href: `/docs/api/${operation.id}`,
      title: operation.summary,
      group,
      about: `${route.method} ${path}: ${describeOperation(operation, site.terms).replaceAll('`', '')}`,
      text: [...route.paths, ...names, ...operation.errors].join(' '),
    };
  });
  const written = documents.map(({ href, title, text }): DocsPage => {
    const group = href.startsWith(INTEGRATIONS) ? 'Integrations' : 'Guides';
    return { href, title, group, about: extractFirstSentence(text), text };
  });
  return [...operations, ...written];
}

/** Extracts the first sentence after the heading. */
const extractFirstSentence = (text: string): string =>
  (/\n\n([^\n#|`][^\n]*?[.:])(?:\s|$)/.exec(text)?.[1] ?? '').replaceAll('`', '');

function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
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
