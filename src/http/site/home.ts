import { FREE_KEY_CREDITS } from '../../billing/ledger/prices.ts';
import { KEYLESS_REQUESTS_PER_DAY, QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { Answer, Call } from '../calls/call.ts';
import { wantsHtml } from '../calls/wants-html.ts';
import { count } from './amounts.ts';
import { resultsOf } from './home-results.ts';
import { type HomeSearchDeps, homeSearch, type Searched, searchedHeaders } from './home-search.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';
import { packCards } from './payments/packs.ts';

export type HomeDeps = HomeSearchDeps & { serviceUrl(): string };

const VARY = { Vary: 'Accept' };

/** GET /: the list of routes for a program, the start page for a person, and search results with `?q=`. */
export function home(deps: HomeDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    if (!wantsHtml(call.headers)) return { ...landing(call), headers: VARY };
    const query = (call.query.get('q') ?? '').trim();
    const serviceUrl = deps.serviceUrl();
    if (query === '') return startPage(serviceUrl);
    return resultsPage(await homeSearch(deps, { ...call, query }), { query, serviceUrl });
  };
}

/** The answer to programs: the name of the service and its routes. */
function landing({ requestId }: Call): Answer {
  return {
    body: {
      name: 'Sanderling',
      what: 'Web retrieval and search for programs and agents.',
      routes: {
        'POST /v1/search': '{"query": "..."}: pages for a query; "contents" adds their text',
        'POST /v1/contents': '{"urls": ["https://..."]}: pages as Markdown',
        'POST /v1/findSimilar': '{"url": "https://..."}: pages on the same subject, on other sites',
        'POST /v1/research': '{"question": "..."}: an evidence pack of quotations from many pages',
        'GET /r/{url}': 'a page as Markdown; ?q= keeps only what is relevant to a question',
        'POST /v1/verify':
          '{"url": "https://...", "quote": "..."}: whether a page contains a quotation; free',
        'POST /shapeB/search': 'a search in the second shape; its clients use {base URL}/shapeB',
        'POST /shapeB/extract': '{"urls": ["https://..."]}: pages in the second shape',
        'POST /v1/keys/free': 'a free key with 2,500 credits, one per network',
        'GET /v1/balance': 'the credits of the key in the header',
        'GET /healthz': 'whether the process is alive',
        'GET /readyz': 'whether the service accepts requests',
      },
      requestId,
    },
  };
}

function startPage(serviceUrl: string): Answer {
  return page({
    title: 'Sanderling: search and read the web from a program',
    shared: true,
    headers: VARY,
    main: html`<section class="hero">
<h1>Search and read the web from a program</h1>
<p class="lead">Sanderling finds pages for a question and returns each as clean Markdown: the whole page, or only the relevant parts. One HTTP call, one credit. Nothing is generated: every word comes from a page it names.</p>
${searchBox('')}
<p class="quiet">This searches the live service. You have ${KEYLESS_REQUESTS_PER_DAY} free requests a day, no key needed.</p>
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
<h2 id="try">Two calls to get started</h2>
<div class="two">
<div><h3>Search</h3>
<p>Find pages for a question, each with its best passages.</p>
<pre><code>curl ${serviceUrl}/v1/search \\
  -H 'content-type: application/json' \\
  -d '{"query": "how do I rotate logs",
       "contents": {"highlights": true}}'</code></pre></div>
<div><h3>Read</h3>
<p>Get any public page as Markdown. Add <code>?q=</code> to keep only what is relevant to a question.</p>
<pre><code>curl '${serviceUrl}/r/https://example.org/?q=what+is+it+for'</code></pre></div>
</div>
<p>Client libraries of two well-known APIs work unchanged: just set their base URL to <code>${serviceUrl}</code> or <code>${serviceUrl}/shapeB</code>. Agents get the same operations as MCP tools at <code>${serviceUrl}/mcp</code>. The <a href="/docs">API reference</a> lists every call.</p>
</section>`;
}

function prices(): Html {
  return html`<section aria-labelledby="prices">
<h2 id="prices">Prices</h2>
<p>Start without a key. A <a href="/pricing#free-key">free key</a> comes with ${count(FREE_KEY_CREDITS)} credits and needs no sign-up. Need more? Buy a pack of credits: your key appears right after the payment.</p>
${packCards({ query: new URLSearchParams(), verb: 'Buy' })}
<p><a href="/pricing">See what each call costs, and how auto-reload works</a></p>
</section>`;
}
