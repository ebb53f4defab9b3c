import { FREE_KEY_CREDITS } from '../../billing/ledger/prices.ts';
import { KEYLESS_REQUESTS_PER_DAY, QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { Answer, Call } from '../calls/call.ts';
import { wantsHtml } from '../calls/wants-html.ts';
import { count } from './amounts.ts';
import { resultsOf } from './home-results.ts';
import { type HomeSearchDeps, homeSearch, type Searched, searchedHeaders } from './home-search.ts';
import { type Html, html } from './html.ts';
import { landing } from './landing.ts';
import { page } from './layout.ts';
import { packCards } from './payments/packs.ts';

export type HomeDeps = HomeSearchDeps & { serviceUrl(): string };

const VARY = { Vary: 'Accept' };

/** GET /: for a program what stands where, for a person the start page, with `?q=` the results of a search. */
export function home(parts: HomeDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    if (!wantsHtml(call.headers)) return { ...(await landing(call)), headers: VARY };
    const query = (call.query.get('q') ?? '').trim();
    const serviceUrl = parts.serviceUrl();
    if (query === '') return startPage(serviceUrl);
    return resultsPage(await homeSearch(parts, { ...call, query }), { query, serviceUrl });
  };
}

function startPage(serviceUrl: string): Answer {
  return page({
    title: 'Sanderling: search and read the web from a program',
    shared: true,
    headers: VARY,
    main: html`<section class="hero">
<h1>Search and read the web from a program</h1>
<p class="lead">Sanderling finds pages for a question and gives each as clean Markdown: whole, or only what bears on the question. One HTTP call, one credit. Nothing it answers is made up: every word stands on a page that it names.</p>
${searchBox('')}
<p class="quiet">This is the real service: ${KEYLESS_REQUESTS_PER_DAY} requests a day are free, without a key.</p>
</section>
${examples(serviceUrl)}
${prices()}`,
  });
}

function resultsPage(searched: Searched, asked: { query: string; serviceUrl: string }): Answer {
  const { query } = asked;
  return page({
    title: `${query.slice(0, 80)} · Sanderling`,
    status: searched.kind === 'found' ? 200 : searched.status,
    headers: { ...VARY, ...searchedHeaders(searched) },
    main: html`<h1 class="hidden">Search</h1>
${searchBox(query)}
${resultsOf(searched, asked)}`,
  });
}

function searchBox(query: string): Html {
  return html`<form class="search" role="search" method="get" action="/">
<label for="q">What do you want to know?</label>
<div class="bar"><input id="q" name="q" type="search" value="${query}" placeholder="how do I rotate the logs" required maxlength="${QUERY_CHARS_MAX}" autocomplete="off" enterkeyhint="search"><button class="button" type="submit">Search</button></div>
</form>`;
}

function examples(serviceUrl: string): Html {
  return html`<section aria-labelledby="try">
<h2 id="try">Two calls to begin with</h2>
<div class="two">
<div><h3>Search</h3>
<p>Pages for a question, each with the passages that answer it.</p>
<pre><code>curl ${serviceUrl}/v1/search \\
  -H 'content-type: application/json' \\
  -d '{"query": "how do I rotate logs",
       "contents": {"highlights": true}}'</code></pre></div>
<div><h3>Read</h3>
<p>Any public page as Markdown; with <code>?q=</code> what bears on a question.</p>
<pre><code>curl '${serviceUrl}/r/https://example.org/?q=what+is+it+for'</code></pre></div>
</div>
<p>Client libraries of two well-known interfaces work after changing only their base address, to <code>${serviceUrl}</code> or <code>${serviceUrl}/shapeB</code>. Agents get the same as tools at <code>${serviceUrl}/mcp</code>; the <a href="/docs">reference</a> has every call.</p>
</section>`;
}

function prices(): Html {
  return html`<section aria-labelledby="prices">
<h2 id="prices">Prices</h2>
<p>Begin without a key. A <a href="/pricing#free-key">free key</a> has ${count(FREE_KEY_CREDITS)} credits and needs no sign-up. Beyond that, credits come in packs: you pay, and the key is on the next page.</p>
${packCards({ query: new URLSearchParams(), verb: 'Buy' })}
<p><a href="/pricing">What each call costs, and reloading automatically</a></p>
</section>`;
}
