import { FREE_KEY_CREDITS } from '../../../billing/ledger/prices.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import type { Answer } from '../../calls/call.ts';
import type { Terms } from '../../calls/operation.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { renderPackCards } from '../payments/reload-fieldset.ts';
import { renderPlayForms } from '../play/play-forms.ts';
import {
  type CodeContext,
  computeReach,
  describeReach,
  PLAY_SCRIPT,
  renderCallAsCode,
  renderFreeKeyButton,
  renderReach,
} from '../play/play-page.ts';
import { buildPlayCall, type PlayRequest, parsePlayRequest } from '../play/plays.ts';
import { readProjectDocument } from '../project-documents.ts';
import { type Figure, listClients, readFigures } from './project-facts.ts';

const FIGURES = readFigures(readProjectDocument('quality.md'));
const CLIENTS = listClients(readProjectDocument('integrations.md'));
const SAMPLE = parsePlayRequest(new URLSearchParams({ q: 'how do I rotate logs' }));

type StartPageContext = CodeContext & { sources: readonly SourceReading[]; hasModel: boolean };

/** Builds the start page: the service in short, forms to try it, the same call as code, figures, sources, clients and prices. */
export function buildStartPage(asked: PlayRequest, surroundings: StartPageContext): Answer {
  const { site, sources } = surroundings;
  const reach = computeReach(sources);
  return buildPage({
    site,
    title: 'Search and read the web from a program',
    shared: true,
    bands: true,
    scripts: [PLAY_SCRIPT],
    headers: { Vary: 'Accept' },
    main: html`<div class="hero"><div class="wide">
<div class="hero-head">
<div><p class="eyebrow">Search API · Reader · MCP server</p>
<h1>Web search and clean pages for your program</h1></div>
<p class="lead">Ask a question and get the best pages with the passages that answer it, or give an address and get the page as Markdown. ${surroundings.hasModel ? 'A model writes answers, and every sentence was checked against the pages it names.' : 'Nothing is generated: every word is quoted from a page it names.'}</p>
</div>
${renderTryIt(asked, site.terms)}
</div></div>
${renderAsCode(surroundings)}
${renderOffers()}
${renderQuality()}
<section class="band" aria-labelledby="reach"><div class="wide split">
<div><h2 id="reach">What it searches here</h2>
<p>${describeReach(reach)}</p>
<p class="quiet">Any public page can be read by its address. What was read can be searched from then on.</p></div>
${renderReach(reach)}
</div></section>
${renderClients(surroundings.serviceUrl)}
${site.terms === null ? null : renderPrices(site.terms)}`,
  });
}

/** Renders the forms to try the service. Visitors have no key, so there are none where a key is required. */
function renderTryIt(asked: PlayRequest, terms: Terms | null): Html {
  if (terms?.keylessPerDay === 0)
    return html`<p class="quiet">Every call needs a key.</p>${terms.freeKeys && html`<div class="actions">${renderFreeKeyButton()}</div>`}`;
  const free =
    terms === null ? null : html` ${formatNumber(terms.keylessPerDay)} free requests a day, no key needed.`;
  return html`${renderPlayForms(asked, { withSamples: true })}
<div class="actions hero-actions">${terms?.freeKeys ? renderFreeKeyButton() : null}<p class="quiet">This calls the live service.${free}</p></div>`;
}

function renderAsCode(surroundings: StartPageContext): Html {
  return html`<section class="band" aria-labelledby="call"><div class="wide split">
<div><h2 id="call">One call, in any language</h2>
<p>The box above sends this request. Change the address of the service in a client that you use already, or call it directly.</p>
<p>The <a href="/docs">API reference</a> lists every call and field; agents get the same operations as tools over MCP.</p></div>
${renderCallAsCode(buildPlayCall(SAMPLE, 0), surroundings)}
</div></section>`;
}

function renderOffers(): Html {
  return html`<section class="band" aria-labelledby="offers"><div class="wide">
<h2 id="offers">Everything a program needs of the web</h2>
<ul class="cards">
<li class="card"><h3>Search</h3><p>Results of many sources, merged and ranked, each with the passages that match: 400 to 700 characters, word for word.</p></li>
<li class="card"><h3>Read</h3><p>Pages, PDFs and office files as Markdown, without menus and banners. With a question, only the parts that matter.</p></li>
<li class="card"><h3>Cite</h3><p>Every quotation comes with a link that opens the page at the very passage, and with the hash of the text.</p></li>
<li class="card"><h3>Research</h3><p>A question taken apart, many searches, and an evidence pack: what sources say, where they agree, what was not found.</p></li>
</ul>
</div></section>`;
}

function renderQuality(): Html {
  return html`<section class="band" aria-labelledby="quality"><div class="wide split">
<div><h2 id="quality">Measured, beside a baseline</h2>
<p>Each figure has a command that reproduces it. They are ours, on public collections; how they were measured, and where we do not lead, is written down in the project’s <code>docs/quality.md</code>.</p></div>
<dl class="measures">${FIGURES.map(renderMeasure)}</dl>
</div></section>`;
}

function renderMeasure({ what, measure: unit, ours, baseline, baselineName, most, digits }: Figure): Html {
  const renderBar = (name: string, value: number, kind: string): Html =>
    html`<dd><span>${name}</span><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="${kind}" width="${Math.round((value / most) * 100)}" height="8"/></svg><b>${value.toFixed(digits)}</b></dd>`;
  return html`<div><dt>${what} <span class="quiet">(${unit})</span></dt>${renderBar('ours', ours, 'fill')}${renderBar(baselineName, baseline, 'other')}</div>`;
}

function renderClients(serviceUrl: string): Html {
  return html`<section class="band" aria-labelledby="clients"><div class="wide">
<h2 id="clients">Works with what you have</h2>
<p>These work unmodified: set their address to <code>${serviceUrl}</code>. Each recipe is <a href="/docs/integrations">written down</a> and tested.</p>
<ul class="chips">${CLIENTS.map(({ name, href }) => html`<li>${href === null ? name : html`<a href="${href}">${name}</a>`}</li>`)}</ul>
</div></section>`;
}

function renderPrices({ keylessPerDay, freeKeys, sells }: Terms): Html {
  return html`<section class="band" aria-labelledby="prices"><div class="wide">
<h2 id="prices">Prices</h2>
<p>${keylessPerDay > 0 && 'Start without a key. '}${freeKeys && html`A <a href="/pricing#free-key">free key</a> comes with ${formatNumber(FREE_KEY_CREDITS)} credits and needs no sign-up. `}${sells && 'Need more? Buy a pack of credits: your key appears right after the payment.'}${!freeKeys && !sells && 'Ask the operator for a key.'}</p>
${sells && renderPackCards({ query: new URLSearchParams(), verb: 'Buy' })}
<p><a href="/pricing">See what each call costs${sells && ', and how auto-reload works'}</a></p>
</div></section>`;
}
