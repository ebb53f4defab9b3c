import { FREE_KEY_CREDITS, PRICES, RELOAD } from '../../../billing/ledger/prices.ts';
import { KEYLESS_REQUESTS_PER_DAY } from '../../../contract/limits.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { type ParsedReload, readReloadFields } from '../../v1/reload-fields.ts';
import { count } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { page } from '../layout.ts';
import { packCards } from './packs.ts';
import { reloadFieldset, typedReload } from './reload-fieldset.ts';
import { reloadTerms } from './reload-terms.ts';

const RELOAD_FIELDS = ['auto_reload', 'threshold', 'reload_pack', 'monthly_max_usd'];

type PricingDeps = { serviceUrl(): string };

/**
 * GET /pricing: the packs, what calls cost, and the choice of auto-reload. The choice comes back to this page, which then
 * carries it in its links to buy: whoever pays has read the terms before.
 */
export function pricing({ serviceUrl }: PricingDeps): (call: Call) => Promise<Answer> {
  return async ({ query }) => pricingPage(query, serviceUrl());
}

function pricingPage(query: URLSearchParams, serviceUrl: string): Answer {
  const read = readReloadFields(query, { capUsdMax: RELOAD.capUsdMax });
  const topUp = query.get('k') ?? '';
  const isShared = [...query.keys()].length === 0;
  return page({
    title: 'Pricing · Sanderling',
    place: '/pricing',
    status: read.ok ? 200 : 422,
    ...(isShared ? { shared: true } : {}),
    main: html`<section class="intro">
<h1>Pay for what you use</h1>
<p class="lead">One search or one page is one credit. Credits come in packs; there is no subscription.</p>
${topUp === '' ? null : html`<p class="notice">The credits are added to the key that this link belongs to.</p>`}
</section>
<section aria-labelledby="packs">
<h2 id="packs">Packs</h2>
${chosenTerms(read)}
${packCards({ query: linkQuery(query, read), verb: 'Buy' })}
</section>
${reloadChoice(query, read)}
${freeKey(serviceUrl)}
${costs()}`,
  });
}

/** Only what was read as good goes into a link. */
function linkQuery(query: URLSearchParams, read: ParsedReload): URLSearchParams {
  const wanted = new URLSearchParams();
  if (query.has('k')) wanted.set('k', query.get('k') ?? '');
  if (read.ok && read.fields.enabled)
    for (const name of RELOAD_FIELDS) wanted.set(name, query.get(name) ?? '');
  return wanted;
}

function chosenTerms(read: ParsedReload): Html | null {
  if (!read.ok || !read.fields.enabled) return null;
  return html`<p class="notice" role="status"><strong>With auto-reload.</strong> Your card is saved when you pay. ${reloadTerms(read.fields.terms)} You can turn it off at any time.</p>`;
}

function reloadChoice(query: URLSearchParams, read: ParsedReload): Html {
  const problems = read.ok ? [] : read.problems;
  return html`<section aria-labelledby="reload">
<h2 id="reload">Never run dry</h2>
<p>With auto-reload a pack is bought by itself before the credits are used up, never beyond the amount that you set for a month.</p>
<form class="panel" method="get" action="/pricing#packs">
${query.has('k') ? html`<input type="hidden" name="k" value="${query.get('k') ?? ''}">` : null}
${reloadFieldset({ shown: typedReload(query), capUsdMax: RELOAD.capUsdMax, problems })}
<button class="button second" type="submit">Put this into the packs above</button>
</form>
</section>`;
}

function freeKey(serviceUrl: string): Html {
  return html`<section aria-labelledby="free-key">
<h2 id="free-key">A free key</h2>
<p>It has ${count(FREE_KEY_CREDITS)} credits and needs no sign-up; there is one for each network.</p>
<pre><code>curl -X POST ${serviceUrl}/v1/keys/free</code></pre>
</section>`;
}

function costs(): Html {
  const rows: [call: string, what: string, credits: string][] = [
    ['POST /v1/search', 'a search, with page contents if you want them', String(PRICES.search)],
    ['POST /v1/findSimilar', 'pages like a page', String(PRICES.findSimilar)],
    ['GET /r/{url}', 'a page as Markdown', String(PRICES.read)],
    ['POST /v1/contents', 'up to ten pages', `${PRICES.contentsPerUrl} a page that loads`],
    ['POST /v1/research', 'quotations from many pages', `${PRICES.researchPerSearch} a search that it runs`],
    ['POST /v1/verify', 'whether quotations stand on a page', String(PRICES.verify)],
    ['POST /shapeB/search', 'a search in the second shape', String(PRICES.search)],
    ['POST /shapeB/extract', 'up to twenty pages', `${PRICES.contentsPerUrl} a page that loads`],
    ['POST /shapeB/crawl', 'the pages of a site', `${PRICES.crawlPerPage} a page`],
    ['POST /shapeB/map', 'the addresses of a site', String(PRICES.map)],
    ['GET /v1/balance', 'what a key has left', '0'],
  ];
  return html`<section aria-labelledby="costs">
<h2 id="costs">What a call costs</h2>
<table>
<thead><tr><th scope="col">Call</th><th scope="col">Credits</th></tr></thead>
<tbody>${rows.map(([call, what, credits]) => html`<tr><th scope="row"><code>${call}</code><br><span class="quiet">${what}</span></th><td>${credits}</td></tr>`)}</tbody>
</table>
<h2>The rules</h2>
<ul class="rules">
<li>A paid call that ends in an error is given back in full. Of several pages, those that do not load cost nothing.</li>
<li>An answer from the cache costs the same as a fresh one.</li>
<li>Without a key there are ${KEYLESS_REQUESTS_PER_DAY} requests a day for each address, and those count even when they fail.</li>
<li>Every answer says in <code>X-Credits-Remaining</code> what is left. There are no rate limits besides.</li>
</ul>
</section>`;
}
