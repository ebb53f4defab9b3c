import type { Answer } from '../calls/call.ts';
import type { Terms } from '../calls/operation.ts';
import { loadScript } from '../site/assets.ts';
import { type Html, html } from '../site/html.ts';
import { buildPage } from '../site/layout.ts';
import { renderCodeBlock, renderEmptyState } from '../site/shell/parts.ts';
import type { Website } from '../site/shell/site.ts';
import { type DocumentedOperation, GROUPS } from './reference/tried-page.ts';

const RESULTS_MAX = 30;
/** Weights of a match in the title, summary and text of a page. */
const WEIGHTS = { title: 8, about: 3, text: 1 };

/** Filters the list of the documentation, and tries operations on their pages. */
export const DOCS_SCRIPT = loadScript(new URL('docs.js', import.meta.url));

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

/** An entry of the sidebar. */
type DocsLink = { href: string; title: string; words: string };

/** Links under a title. */
export type DocsGroup = { title: string; links: DocsLink[] };

/** Renders the search field and the list of all pages. The open page is marked. */
export function renderSidebar(groups: readonly DocsGroup[], open: string): Html {
  return html`<form class="docs-search" role="search" action="/docs"><label class="hidden" for="docs-q">Search the documentation</label><input id="docs-q" name="q" type="search" placeholder="Search the docs" autocomplete="off"></form>
${groups.map(
  ({ title, links }) => html`<div data-group><p class="title">${title}</p>
<ul>${links.map(
    ({ href, title: name, words }) =>
      html`<li data-words="${words}"><a href="${href}"${href === open && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></div>
`,
)}`;
}

/** A page of the documentation in the search. */
export type DocsPage = { href: string; title: string; group: string; about: string; text: string };

/** Finds the pages that contain every word, matches in the title first. */
export function searchDocs(pages: readonly DocsPage[], query: string): DocsPage[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return pages
    .map((page) => ({ page, score: scorePage(page, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ page }) => page);
}

function scorePage({ title, about, text }: DocsPage, words: string[]): number {
  const parts = { title: title.toLowerCase(), about: about.toLowerCase(), text: text.toLowerCase() };
  const scores = words.map(
    (word) =>
      (parts.title.includes(word) ? WEIGHTS.title : 0) +
      (parts.about.includes(word) ? WEIGHTS.about : 0) +
      (parts.text.includes(word) ? WEIGHTS.text : 0),
  );
  return scores.every((score) => score > 0) ? scores.reduce((sum, score) => sum + score, 0) : 0;
}
