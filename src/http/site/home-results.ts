import { FREE_KEY_CREDITS } from '../../billing/ledger/prices.ts';
import type { SearchResult } from '../../search/search.ts';
import { count } from './amounts.ts';
import type { Searched } from './home-search.ts';
import { type Html, html } from './html.ts';
import { passage } from './passage.ts';

/** What stands below the search box once something was asked. */
export function resultsOf(
  searched: Searched,
  { query, serviceUrl }: { query: string; serviceUrl: string },
): Html {
  if (searched.kind === 'refused') return refusal(searched, serviceUrl);
  const { results, ms, remaining } = searched;
  if (results.length === 0)
    return html`<section class="results" aria-labelledby="results">
<h2 id="results">Nothing was found</h2>
<p>No page here bears on that. Other words may help.</p>
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

function freeLeft(remaining: number): Html {
  return html`<p class="quiet">${count(remaining)} free ${remaining === 1 ? 'request' : 'requests'} left today from your address.</p>`;
}

function refusal({ code, message }: Searched & { kind: 'refused' }, serviceUrl: string): Html {
  if (code !== 'keyless_limit')
    return html`<section class="results" role="alert"><h2>${code === 'validation_error' ? 'That is too long' : 'The search is not there just now'}</h2><p>${message}</p></section>`;
  return html`<section class="results" role="alert">
<h2>The free requests of today are used up</h2>
<p>They come back at midnight, UTC. To go on at once:</p>
<ul class="rules">
<li>Claim a free key with ${count(FREE_KEY_CREDITS)} credits, without signing up:
<pre><code>curl -X POST ${serviceUrl}/v1/keys/free</code></pre></li>
<li>Or <a href="/pricing">buy a pack</a>, and the key is yours right after the payment.</li>
</ul>
</section>`;
}
