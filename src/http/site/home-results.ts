import { FREE_KEY_CREDITS } from '../../billing/ledger/prices.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { Terms } from '../calls/terms.ts';
import { count } from './amounts.ts';
import type { Searched } from './home-search.ts';
import { type Html, html } from './html.ts';
import { passage } from './passage.ts';

/** The results below the search box. */
export function resultsOf(
  searched: Searched,
  { query, ...offer }: { query: string; serviceUrl: string; terms: Terms | null },
): Html {
  if (searched.kind === 'refused') return refusal(searched, offer);
  const { results, ms, remaining } = searched;
  if (results.length === 0)
    return html`<section class="results" aria-labelledby="results">
<h2 id="results">No results</h2>
<p>No page matches. Try other words.</p>
${freeLeft(remaining)}
</section>`;
  return html`<section class="results" aria-labelledby="results">
<h2 id="results">${results.length === 1 ? 'One page' : `${results.length} pages`}</h2>
<p class="quiet">Found in ${count(ms)} ms.</p>
<ol class="hits">${results.map((result) => hit(result, query))}</ol>
${freeLeft(remaining)}
</section>`;
}

function hit({ url, title, highlights, publishedDay }: SearchResult, query: string): Html {
  const [best] = highlights ?? [];
  const name = title.trim() === '' ? url : title;
  return html`<li>
<p class="where">${shownAddress(url)}${publishedDay === null ? null : html` · <time datetime="${publishedDay}">${publishedDay}</time>`}</p>
<h3>${isWebAddress(url) ? html`<a href="${url}" rel="noreferrer nofollow">${name}</a>` : name}</h3>
${best === undefined ? null : html`<p>${passage(best, query)}</p>`}
</li>`;
}

const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

function shownAddress(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
}

/** Nothing where requests are not counted. */
function freeLeft(remaining: number | null): Html | null {
  if (remaining === null) return null;
  return html`<p class="quiet">${count(remaining)} free ${remaining === 1 ? 'request' : 'requests'} left today from your address.</p>`;
}

function refusal(
  { code, message }: Searched & { kind: 'refused' },
  { serviceUrl, terms }: { serviceUrl: string; terms: Terms | null },
): Html {
  if (code !== 'keyless_limit')
    return html`<section class="results" role="alert"><h2>${code === 'validation_error' ? 'Your question is too long' : 'Search is unavailable right now'}</h2><p>${message}</p></section>`;
  const ways = [
    ...(terms?.freeKeys ? [freeKeyWay(serviceUrl)] : []),
    ...(terms?.sells
      ? [html`<li>Or <a href="/pricing">buy a pack</a>. Your key appears right after the payment.</li>`]
      : []),
  ];
  return html`<section class="results" role="alert">
<h2>You have used today’s free requests</h2>
<p>They reset at midnight UTC.${ways.length > 0 && ' To continue now:'}</p>
${ways.length > 0 && html`<ul class="rules">${ways}</ul>`}
</section>`;
}

function freeKeyWay(serviceUrl: string): Html {
  return html`<li>Get a free key with ${count(FREE_KEY_CREDITS)} credits, no sign-up needed:
<pre><code>curl -X POST ${serviceUrl}/v1/keys/free</code></pre></li>
`;
}
