import type { Answer } from '../calls/call.ts';
import type { Terms } from '../calls/terms.ts';
import { type Html, html } from '../site/html.ts';
import { buildPage } from '../site/layout.ts';
import { renderCodeBlock, renderEmptyState } from '../site/shell/parts.ts';
import type { Website } from '../site/shell/site.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import type { DocumentedOperation } from './reference/described.ts';
import { GROUPS } from './reference/described.ts';
import type { DocsPage } from './search-docs.ts';
import type { DocsGroup } from './sidebar.ts';

type Overview = {
  site: Website;
  serviceUrl: string;
  sidebar: Html;
  described: readonly DocumentedOperation[];
  guides: DocsGroup;
};

/** Builds GET /docs: a first call, the guides and all operations. */
export function buildOverviewPage({ site, serviceUrl, sidebar, described, guides }: Overview): Answer {
  return buildPage({
    site,
    title: 'Documentation',
    place: '/docs',
    shared: true,
    scripts: [DOCS_SCRIPT],
    sidebar: { title: 'Documentation', links: sidebar },
    main: html`<h1>Documentation</h1>
<p class="lead">JSON over HTTP. Field names may be camelCase or snake_case, unknown fields are ignored, and null counts as absent.</p>
${renderCodeBlock({ id: 'first-call', label: 'A first call', code: formatFirstCall(serviceUrl, site.terms !== null) })}
${site.terms === null ? null : renderKeys(site.terms)}
<h2 id="guides">Guides</h2>
<ul class="plain-links">${guides.links.map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>`)}</ul>
<h2 id="operations">Operations</h2>
<p>For programs: <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a>.</p>
${GROUPS.map((group) =>
  renderOperations(
    group,
    described.filter((one) => one.group === group),
  ),
)}`,
  });
}

const formatFirstCall = (serviceUrl: string, isMetered: boolean): string =>
  [
    `curl -sS '${serviceUrl}/v1/search'`,
    ...(isMetered ? [`  -H "x-api-key: $SANDERLING_API_KEY"`] : []),
    `  -H 'content-type: application/json'`,
    `  -d '{"query": "how does write-ahead logging work", "contents": {"highlights": true}}'`,
  ].join(' \\\n');

function renderKeys({ keylessPerDay, freeKeys }: Terms): Html {
  const keyless =
    keylessPerDay === 0 ? 'Every call needs one.' : `Without one, ${keylessPerDay} requests a day are free.`;
  return html`<h2 id="keys">Keys</h2>
<p>Send your key in <code>Authorization: Bearer</code> or <code>x-api-key</code>. ${keyless}${freeKeys && html` <a href="/docs/api/claimFreeKey">Claim a free key</a> without signing up.`} The response header <code>X-Credits-Remaining</code> says what is left. A call that fails costs no credits; a request without a key counts even when it fails.</p>`;
}

function renderOperations(title: string, all: DocumentedOperation[]): Html | null {
  if (all.length === 0) return null;
  return html`<h3>${title}</h3>
<div class="scroll reference" tabindex="0" role="region" aria-label="${title}"><table><tbody>${all.map(
    ({ operation, route, path }) =>
      html`<tr><th scope="row"><a href="/docs/api/${operation.id}">${operation.summary}</a></th><td><code>${route.method} ${path}</code></td></tr>`,
  )}</tbody></table></div>`;
}

/** Builds GET /docs?q=: the pages of the documentation that match. */
export function buildSearchResultsPage({
  site,
  sidebar,
  query,
  found,
}: Pick<Overview, 'site' | 'sidebar'> & { query: string; found: DocsPage[] }): Answer {
  return buildPage({
    site,
    title: 'Search the documentation',
    place: '/docs',
    scripts: [DOCS_SCRIPT],
    sidebar: { title: 'Documentation', links: sidebar },
    main: html`<h1>Search the documentation</h1>
<form class="bar" role="search" action="/docs"><label class="hidden" for="docs-query">Words</label><input id="docs-query" name="q" type="search" value="${query}"><button class="button" type="submit">Search</button></form>
${
  found.length === 0
    ? renderEmptyState({
        title: 'Nothing found',
        text: html`No page of the documentation holds all of these words. Try fewer words, or the <a href="/docs">list of all operations</a>.`,
      })
    : html`<ul class="docs-found">${found.map(({ href, title, group, about }) => html`<li><a href="${href}">${title}</a> <span class="quiet">${group}</span><br>${about}</li>`)}</ul>`
}`,
  });
}
