import {
  CENTS_PER_USD,
  FREE_KEY_CREDITS,
  PACKS,
  type PackName,
  PRICES,
  RELOAD,
} from '../../../billing/ledger/prices.ts';
import { RESEARCH } from '../../../contract/limits.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { type ParsedReload, readReloadFields } from '../../v1/reload-fields.ts';
import { formatDollars, formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import type { Website } from '../shell/site.ts';
import { estimate, MONTHLY_MAX, type MonthlyCalls } from './estimate.ts';
import {
  formatPackName,
  readReloadValues,
  renderPackCards,
  renderReloadFieldset,
} from './reload-fieldset.ts';

const FIELDS: { name: keyof MonthlyCalls; label: string; example: string }[] = [
  { name: 'searches', label: 'Searches a month', example: '10000' },
  { name: 'pages', label: 'Pages a month', example: '2000' },
  { name: 'research', label: 'Research calls a month', example: '100' },
];

const RELOAD_FIELDS = ['auto_reload', 'threshold', 'reload_pack', 'monthly_max_usd'];

export type PricingDeps = { serviceUrl(): string; site: Website };

/**
 * Handles GET /pricing: the packs, the price of each call, and the auto-reload form. The form submits to this page, which then
 * carries the choice in its links to buy, so that buyers have read the terms before they pay.
 */
export function createPricingHandler({ serviceUrl, site }: PricingDeps): (call: Call) => Promise<Answer> {
  return async ({ query }) => buildPricingPage(query, { serviceUrl: serviceUrl(), site });
}

function buildPricingPage(
  query: URLSearchParams,
  { serviceUrl, site }: { serviceUrl: string; site: Website },
): Answer {
  const { terms } = site;
  const read = readReloadFields(query, { capUsdMax: RELOAD.capUsdMax });
  const month = readMonthly(query);
  const topUp = query.get('k') ?? '';
  const isShared = [...query.keys()].length === 0;
  return buildPage({
    site,
    title: 'Pricing',
    place: '/pricing',
    status: read.ok && month.problems.length === 0 ? 200 : 422,
    ...(isShared ? { shared: true } : {}),
    main: html`<section class="intro">
<h1>Pay for what you use</h1>
<p class="lead">One search or one page is one credit. ${terms?.sells ? 'Credits come in packs; there is no subscription.' : 'Credits are not for sale at the moment.'}</p>
${topUp === '' || !terms?.sells ? null : html`<p class="notice">The credits will be added to your existing key.</p>`}
</section>
${terms?.sells ? renderSales(query, read) : null}
${terms?.sells ? renderCalculator(month, query.get('k')) : null}
${terms?.freeKeys ? renderFreeKey(serviceUrl) : null}
${renderCosts(terms?.keylessPerDay ?? 0)}
${renderQuestions(terms?.sells ?? false)}`,
  });
}

function renderSales(query: URLSearchParams, read: ParsedReload): Html {
  return html`<section aria-labelledby="packs">
<h2 id="packs">Packs</h2>
${renderChosenTerms(read, query)}
${renderPackCards({ query: buildLinkQuery(query, read), verb: 'Buy' })}
</section>
${renderReloadForm(query, read)}`;
}

/** Builds the query of the links to buy, with valid settings only. */
function buildLinkQuery(query: URLSearchParams, read: ParsedReload): URLSearchParams {
  const wanted = new URLSearchParams();
  if (query.has('k')) wanted.set('k', query.get('k') ?? '');
  if (read.ok && read.fields.enabled)
    for (const name of RELOAD_FIELDS) wanted.set(name, query.get(name) ?? '');
  return wanted;
}

function renderChosenTerms(read: ParsedReload, query: URLSearchParams): Html | null {
  if (!read.ok || !read.fields.enabled) return null;
  return html`<p class="notice" role="status"><strong>With auto-reload.</strong> Your card is saved when you pay. ${describeReloadTerms(read.fields.terms, query.get('reload_pack') ? read.fields.terms.pack : null)} You can turn it off at any time.</p>`;
}

/** Describes the terms that the card's owner agrees to, in one sentence. */
function describeReloadTerms(
  terms: { threshold: number; pack: PackName; capCents: number },
  pack: PackName | null,
): string {
  const charged =
    pack === null
      ? 'the price of the pack that you buy now'
      : `${formatDollars(PACKS[pack].priceUsd * CENTS_PER_USD)} for ${formatNumber(PACKS[pack].credits)} credits`;
  return `Whenever fewer than ${formatNumber(terms.threshold)} credits remain, the saved card is charged ${charged}, at most ${formatDollars(terms.capCents)} in a calendar month (UTC).`;
}

function renderReloadForm(query: URLSearchParams, read: ParsedReload): Html {
  const problems = read.ok ? [] : read.problems;
  return html`<section aria-labelledby="reload">
<h2 id="reload">Never run dry</h2>
<p>Auto-reload is off unless you turn it on here. It saves your card, buys a pack whenever your credits fall below the number that you set, and never spends more in a month than you allow. It buys the same pack again unless you choose another. You can change it, turn it off, or remove the card on your account page at any time.</p>
<form class="panel" method="get" action="/pricing#packs">
${query.has('k') ? html`<input type="hidden" name="k" value="${query.get('k') ?? ''}">` : null}
${renderReloadFieldset({ shown: { ...readReloadValues(query), pack: query.get('reload_pack') ?? '' }, capUsdMax: RELOAD.capUsdMax, problems, mayFollow: true })}
<button class="button second" type="submit">Show the packs with these terms</button>
</form>
</section>`;
}

function renderFreeKey(serviceUrl: string): Html {
  return html`<section aria-labelledby="free-key">
<h2 id="free-key">A free key</h2>
<p>${formatNumber(FREE_KEY_CREDITS)} credits, no sign-up. One free key per network.</p>
<pre><code>curl -X POST ${serviceUrl}/v1/keys/free</code></pre>
</section>`;
}

function renderCosts(keylessPerDay: number): Html {
  const rows: [call: string, what: string, credits: string][] = [
    ['POST /v1/search', 'a search, with page contents on request', String(PRICES.search)],
    ['POST /v1/answer', 'a quotation that answers a question', String(PRICES.search)],
    ['POST /v1/findSimilar', 'pages similar to a page', String(PRICES.findSimilar)],
    ['GET /r/{url}', 'a page as Markdown', String(PRICES.read)],
    ['POST /v1/contents', 'up to ten pages', `${PRICES.contentsPerUrl} per page that loads`],
    ['subpages', 'pages that results link to, on request', `${PRICES.subpage} per page that loads`],
    ['POST /v1/research', 'quotations from many pages', `${PRICES.researchPerSearch} per search it runs`],
    ['POST /v1/verify', 'whether a page contains your quotations', String(PRICES.verify)],
    ['GET /s/{query}', 'a search with the text of its pages', String(PRICES.search)],
    ['POST /v1/rerank', 'documents ordered for a query', `${PRICES.rerank} per 100 documents begun`],
    ['POST /shapeB/search', 'a search in the second shape', String(PRICES.search)],
    ['POST /shapeB/extract', 'up to twenty pages', `${PRICES.contentsPerUrl} per page that loads`],
    ['POST /shapeB/crawl', 'the pages of a site', `${PRICES.crawlPerPage} per page`],
    ['POST /v2/crawl', 'the pages of a site, in the background', `${PRICES.crawlPerPage} per page`],
    ['POST /v2/batch/scrape', 'a list of pages, in the background', `${PRICES.crawlPerPage} per page`],
    ['POST /shapeB/map', 'the URLs of a site', String(PRICES.map)],
    ['POST /shapeB/research', 'a report of quotations', `${PRICES.researchPerSearch} per search it runs`],
    ['GET /v1/balance', 'the credits of a key', '0'],
  ];
  return html`<section aria-labelledby="costs">
<h2 id="costs">What a call costs</h2>
<table>
<thead><tr><th scope="col">Call</th><th scope="col">Credits</th></tr></thead>
<tbody>${rows.map(([call, what, credits]) => html`<tr><th scope="row"><code>${call}</code><br><span class="quiet">${what}</span></th><td>${credits}</td></tr>`)}</tbody>
</table>
<h2>The rules</h2>
<ul class="rules">
<li>A call that fails is refunded in full. Pages that do not load cost nothing. Requests without a key count even when they fail.</li>
<li>Cached answers cost the same as fresh ones.</li>
<li>${keylessPerDay === 0 ? 'Every call needs a key.' : `Without a key you have ${formatNumber(keylessPerDay)} requests a day per IP address; failed ones count too.`}</li>
<li>Every answer says in <code>X-Credits-Remaining</code> how many credits are left. Keys have no rate limits.</li>
</ul>
</section>`;
}

/** Renders questions that buyers ask, with their answers. */
function renderQuestions(sells: boolean): Html {
  const asked: [question: string, answer: Html][] = [
    ['Do credits expire?', html`No. They stay until they are used.`],
    [
      'Is there a subscription?',
      html`No. You buy a pack once. Auto-reload is the only thing that charges you again, and only if you turned it on.`,
    ],
    [
      'What happens when the credits run out?',
      html`Calls answer 402 with a link to buy more, and nothing else changes. With auto-reload a pack is bought before that.`,
    ],
    [
      'Is my card saved?',
      html`Only if you buy with auto-reload. The payment provider keeps it; you see its last digits on your account page and can remove it there.`,
    ],
    [
      'Can I use several keys?',
      html`Yes. All keys of an account draw on the same credits. On your <a href="/account/keys">account page</a> you give each a label and its own limits, rotate it or revoke it.`,
    ],
    [
      'Where are my receipts?',
      html`On the <a href="/account/billing">billing page</a> of your account, straight from the payment provider.`,
    ],
    [
      'I lost my key. What now?',
      html`The payment that created it proves that it is yours: <a href="/account/recover">recover your account</a>.`,
    ],
    [
      'Can I get my money back?',
      html`Ask the operator. A refunded payment takes its credits back in proportion.`,
    ],
  ];
  if (!sells) return html``;
  return html`<section class="questions" aria-labelledby="questions"><h2 id="questions">Questions</h2>
${asked.map(([question, answer]) => html`<details><summary>${question}</summary><p>${answer}</p></details>`)}
</section>`;
}

/** The input of the calculator. */
type MonthlyInput = {
  typed: Record<keyof MonthlyCalls, string>;
  /** The parsed numbers; null if nothing was typed or something cannot be parsed. */
  month: MonthlyCalls | null;
  problems: (keyof MonthlyCalls)[];
};

/** Reads the numbers of the calculator; an empty field counts as 0. */
function readMonthly(query: URLSearchParams): MonthlyInput {
  const readText = (name: keyof MonthlyCalls): string => (query.get(name) ?? '').trim();
  const typed = { searches: readText('searches'), pages: readText('pages'), research: readText('research') };
  const parseNumber = (name: keyof MonthlyCalls): number => {
    if (typed[name] === '') return 0;
    const number = /^\d{1,7}$/.test(typed[name]) ? Number(typed[name]) : Number.NaN;
    return number <= MONTHLY_MAX ? number : Number.NaN;
  };
  const month = {
    searches: parseNumber('searches'),
    pages: parseNumber('pages'),
    research: parseNumber('research'),
  };
  const problems = FIELDS.map(({ name }) => name).filter((name) => Number.isNaN(month[name]));
  const isAsked = Object.values(typed).some((one) => one !== '');
  return { typed, month: isAsked && problems.length === 0 ? month : null, problems };
}

/** Renders the form for the expected calls in a month, and their cost. */
function renderCalculator({ typed, month, problems }: MonthlyInput, topUp: string | null): Html {
  return html`<section aria-labelledby="calculator">
<h2 id="calculator">What will a month cost?</h2>
<form class="panel" method="get" action="/pricing#calculator">${topUp !== null && html`<input type="hidden" name="k" value="${topUp}">`}
<div class="fields">${FIELDS.map(({ name, label, example }) => renderField({ name, label, example, value: typed[name], isWrong: problems.includes(name) }))}</div>
<button class="button second" type="submit">Calculate</button>
${month !== null && renderAnswer(month)}
</form>
<p class="quiet">A research call runs ${RESEARCH.searches.default} searches unless you ask for more or fewer, and each that returns is a credit.</p>
</section>`;
}

type Field = { name: string; label: string; example: string; value: string; isWrong: boolean };

function renderField({ name, label, example, value, isWrong }: Field): Html {
  const described = html` aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="number" inputmode="numeric" min="0" max="${MONTHLY_MAX}" step="1" placeholder="${example}" value="${value}"${isWrong && described}>${isWrong && html`<p class="problem" id="${name}-problem">This must be a whole number from 0 to ${formatNumber(MONTHLY_MAX)}.</p>`}</div>`;
}

function renderAnswer(month: MonthlyCalls): Html {
  const { credits, packs, cents } = estimate(month);
  if (credits === 0) return html`<p class="answer-line" role="status">Nothing: no call, no cost.</p>`;
  const bought = packs
    .map(({ pack, times }) => `${times === 1 ? '' : `${times} × `}${formatPackName(pack)}`)
    .join(' and ');
  const left = packs.reduce((sum, { pack, times }) => sum + times * PACKS[pack].credits, 0) - credits;
  const perThousand = formatDollars(Math.round((cents / credits) * 1_000));
  return html`<p class="answer-line" role="status"><strong>${formatNumber(credits)} credits</strong> a month: ${bought} for <strong>${formatDollars(cents)}</strong>${left === 0 ? '.' : html`, with ${formatNumber(left)} credits left over for the next month.`} <span class="quiet">${perThousand} per 1,000 credits used.</span></p>`;
}
