import { type Html, html } from '../site/html.ts';

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
