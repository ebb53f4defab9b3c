import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { renderEmptyState } from '../shell/parts.ts';
import { buildPlayLink } from './plays.ts';
import { isWebAddress, renderPassage, renderSiteLetter } from './result-list.ts';

/** The displayed fields of the answer of POST /v1/research. */
export type DisplayedResearch = {
  evidence: {
    id: string;
    quote: string;
    url: string;
    title: string;
    publishedDate: string | null;
    link: string;
    facets: string[];
  }[];
  agreements: { what: string; value: string; sources: string[] }[];
  disagreements: { what: string; values: { value: string; sources: string[] }[] }[];
  notFound: { facet: string; why: string }[];
  budget: { searches: number; pages: number; seconds: number };
};

/** Renders evidence for people: quotations with their sources, where these agree and differ, and what was not found. */
export function renderResearch(found: DisplayedResearch, query: string): Html {
  const { evidence, agreements, disagreements, notFound, budget } = found;
  const { searches, pages, seconds } = budget;
  return html`<h2>${evidence.length === 0 ? 'No evidence' : evidence.length === 1 ? 'One passage' : `${formatNumber(evidence.length)} passages`}</h2>
<p class="quiet">From ${formatNumber(pages)} ${pages === 1 ? 'page' : 'pages'} and ${formatNumber(searches)} ${searches === 1 ? 'search' : 'searches'} in ${seconds} s. Every passage is quoted word for word.</p>
${evidence.length === 0 && renderEmptyState({ title: 'Nothing fits well enough', text: html`Ask for one thing at a time, name what you compare, or <a href="${buildPlayLink('/', { query })}">search for it</a>.` })}
<ol class="hits">${evidence.map((one) => renderQuotation(one, query))}</ol>
${agreements.length > 0 && html`<h3>Where sources agree</h3><ul>${agreements.map(({ what, value, sources }) => html`<li>${what}: <strong>${value}</strong> ${renderReferences(sources)}</li>`)}</ul>`}
${disagreements.length > 0 && html`<h3>Where sources differ</h3><ul>${disagreements.map(({ what, values }) => html`<li>${what}: ${values.map(({ value, sources }, place) => html`${place === 0 ? null : ', '}<strong>${value}</strong> ${renderReferences(sources)}`)}</li>`)}</ul>`}
${notFound.length > 0 && html`<h3>Not found</h3><ul>${notFound.map(({ facet, why }) => html`<li>${facet}: <span class="quiet">${why}</span></li>`)}</ul>`}`;
}

function renderQuotation(one: DisplayedResearch['evidence'][number], query: string): Html {
  const { id, quote, url, title, publishedDate, link, facets } = one;
  const name = title.trim() === '' ? url : title;
  return html`<li class="hit" id="${id}">
<p class="where">${renderSiteLetter(url)}<span>${id}</span>${publishedDate === null ? null : html`<time datetime="${publishedDate}">${publishedDate}</time>`}${facets.slice(0, 2).map((facet) => html`<span class="badge">${facet}</span>`)}</p>
<h3>${isWebAddress(link) ? html`<a href="${link}" rel="noreferrer nofollow">${name}</a>` : name}</h3>
${renderPassage(quote, { url, query })}
${isWebAddress(url) && html`<p class="hit-links"><a href="${buildPlayLink('/read', { url })}">Read as Markdown<span class="hidden">: ${name}</span></a></p>`}
</li>`;
}

function renderReferences(ids: readonly string[]): Html {
  return html`<span class="quiet">(${ids.map((id, place) => html`${place === 0 ? null : ', '}<a href="#${id}">${id}</a>`)})</span>`;
}
