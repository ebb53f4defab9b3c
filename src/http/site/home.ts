import { FREE_KEY_CREDITS } from '../../billing/ledger/prices.ts';
import { QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { Answer, Call } from '../calls/call.ts';
import type { Terms } from '../calls/terms.ts';
import { wantsHtml } from '../calls/wants-html.ts';
import { count } from './amounts.ts';
import { resultsOf } from './home-results.ts';
import { type HomeSearchDeps, homeSearch, type Searched, searchedHeaders } from './home-search.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';
import { packCards } from './payments/packs.ts';
import type { Website } from './shell/site.ts';

export type HomeDeps = HomeSearchDeps & { serviceUrl(): string; site: Website };

const VARY = { Vary: 'Accept' };

/** GET /: the list of routes for a program, the start page for a person, and search results with `?q=`. */
export function home(deps: HomeDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    if (!wantsHtml(call.headers)) return { ...landing(call, deps.site), headers: VARY };
    const query = (call.query.get('q') ?? '').trim();
    const offer = { serviceUrl: deps.serviceUrl(), site: deps.site };
    if (query === '') return startPage(offer);
    return resultsPage(await homeSearch(deps, { ...call, query }), { query, ...offer });
  };
}

/** The answer to programs: the name of the service and its routes. */
function landing({ requestId }: Call, { name, terms }: Website): Answer {
  return {
    body: {
      name,
      what: 'Web retrieval and search for programs and agents.',
      routes: {
        'POST /v1/search': '{"query": "..."}: pages for a query; "contents" adds their text',
        'POST /v1/contents': '{"urls": ["https://..."]}: pages as Markdown',
        'POST /v1/findSimilar': '{"url": "https://..."}: pages on the same subject, on other sites',
        'POST /v1/research': '{"question": "..."}: an evidence pack of quotations from many pages',
        'GET /r/{url}': 'a page as Markdown; ?q= keeps only what is relevant to a question',
        'POST /v1/verify': '{"url": "https://...", "quote": "..."}: whether a page contains a quotation',
        'POST /v1/rerank': '{"query": "...", "documents": ["..."]}: documents ordered by relevance',
        'POST /shapeB/search': 'a search in the second shape; its clients use {base URL}/shapeB',
        'POST /shapeB/extract': '{"urls": ["https://..."]}: pages in the second shape',
        ...(terms?.freeKeys && { 'POST /v1/keys/free': 'a free key with 2,500 credits, one per network' }),
        ...(terms && { 'GET /v1/balance': 'the credits of the key in the header' }),
        'GET /healthz': 'whether the process is alive',
        'GET /readyz': 'whether the service accepts requests',
      },
      requestId,
    },
  };
}

type Offer = { serviceUrl: string; site: Website };

function startPage({ serviceUrl, site }: Offer): Answer {
  const { terms } = site;
  return page({
    site,
    title: 'Search and read the web from a program',
    shared: true,
    headers: VARY,
    main: html`<section class="hero">
<h1>Search and read the web from a program</h1>
<p class="lead">Sanderling finds pages for a question and returns each as clean Markdown: the whole page, or only the relevant parts. ${terms === null ? null : 'One HTTP call, one credit. '}Nothing is generated: every word comes from a page it names.</p>
${tryIt(terms)}
</section>
${examples({ serviceUrl, terms })}
${terms === null ? null : prices(terms)}`,
  });
}

/** A page cannot send a key, so there is no box to search in where one is required. */
function tryIt(terms: Terms | null): Html {
  if (terms?.keylessPerDay === 0) return html`<p class="quiet">Every call needs a key.</p>`;
  const free =
    terms === null ? '' : ` You have ${count(terms.keylessPerDay)} free requests a day, no key needed.`;
  return html`${searchBox('')}
<p class="quiet">This searches the live service.${free}</p>`;
}

function resultsPage(searched: Searched, asked: Offer & { query: string }): Answer {
  const { query, site } = asked;
  return page({
    site,
    title: query.slice(0, 80),
    status: searched.kind === 'found' ? 200 : searched.status,
    headers: { ...VARY, ...searchedHeaders(searched) },
    main: html`<h1 class="hidden">Search</h1>
${searchBox(query)}
${resultsOf(searched, { ...asked, terms: site.terms })}`,
  });
}

function searchBox(query: string): Html {
  return html`<form class="search" role="search" method="get" action="/">
<label for="q">What do you want to know?</label>
<div class="bar"><input id="q" name="q" type="search" value="${query}" placeholder="how do I rotate the logs" required maxlength="${QUERY_CHARS_MAX}" autocomplete="off" enterkeyhint="search"><button class="button" type="submit">Search</button></div>
</form>`;
}

function examples({ serviceUrl, terms }: { serviceUrl: string; terms: Terms | null }): Html {
  const sent =
    terms?.keylessPerDay === 0
      ? html` \\
  -H 'x-api-key: &lt;key&gt;'`
      : null;
  return html`<section aria-labelledby="try">
<h2 id="try">Two calls to get started</h2>
<div class="two">
<div><h3>Search</h3>
<p>Find pages for a question, each with its best passages.</p>
<pre><code>curl ${serviceUrl}/v1/search${sent} \\
  -H 'content-type: application/json' \\
  -d '{"query": "how do I rotate logs",
       "contents": {"highlights": true}}'</code></pre></div>
<div><h3>Read</h3>
<p>Get any public page as Markdown. Add <code>?q=</code> to keep only what is relevant to a question.</p>
<pre><code>curl '${serviceUrl}/r/https://example.org/?q=what+is+it+for'${sent}</code></pre></div>
</div>
<p>Client libraries of two well-known APIs work unchanged: just set their base URL to <code>${serviceUrl}</code> or <code>${serviceUrl}/shapeB</code>. Agents get the same operations as MCP tools at <code>${serviceUrl}/mcp</code>. The <a href="/docs">API reference</a> lists every call.</p>
</section>`;
}

function prices({ keylessPerDay, freeKeys, sells }: Terms): Html {
  return html`<section aria-labelledby="prices">
<h2 id="prices">Prices</h2>
<p>${keylessPerDay > 0 && 'Start without a key. '}${freeKeys && html`A <a href="/pricing#free-key">free key</a> comes with ${count(FREE_KEY_CREDITS)} credits and needs no sign-up. `}${sells && 'Need more? Buy a pack of credits: your key appears right after the payment.'}${!freeKeys && !sells && 'Ask the operator for a key.'}</p>
${sells && packCards({ query: new URLSearchParams(), verb: 'Buy' })}
<p><a href="/pricing">See what each call costs${sells && ', and how auto-reload works'}</a></p>
</section>`;
}
