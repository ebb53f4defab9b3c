import { FREE_KEY_CREDITS } from '../../../billing/ledger/prices.ts';
import { Failure, STATUS_OF } from '../../../contract/errors.ts';
import type { SourceReport } from '../../../recall/recall.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import { describeLateParts } from '../../../search/late-parts.ts';
import type { Answer, PricedRoute, RunNestedRoute } from '../../calls/call.ts';
import { REMAINING_HEADER } from '../../calls/charged-call.ts';
import type { Terms } from '../../calls/operation.ts';
import { buildPrograms } from '../../programs/programs.ts';
import { formatNumber } from '../amounts.ts';
import { loadScript } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { renderCodeBlock, renderEmptyState, renderTabs } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import { type DisplayedAnswer, renderAnswered } from './answer-view.ts';
import { renderPlayForms } from './play-forms.ts';
import { buildPlayLink, type Play, type PlayCall, type PlayRequest } from './plays.ts';
import {
  type DisplayedResult,
  formatPageCount,
  isWebAddress,
  renderPassage,
  renderResultList,
  renderSiteLetter,
} from './result-list.ts';

const TITLES: Partial<Record<Failure['code'], string>> = {
  keyless_limit: 'You have used today’s free requests',
  invalid_api_key: 'Every call needs a key here',
  recall_unavailable: 'Search is unavailable right now',
  fetch_failed: 'This page could not be read',
  url_not_allowed: 'This address cannot be read',
  validation_error: 'Please check your input',
  overloaded: 'Too busy right now',
};

/** Shows that a call is under way, and prevents it from being sent twice. */
export const PLAY_SCRIPT = loadScript(new URL('play.js', import.meta.url));

/** With fewer results than this, the page suggests how to find more. */
const FEW_RESULTS = 3;

type PlayContext = CodeContext & { sources: readonly SourceReading[] };

/** The displayed fields of the answer of POST /v1/search and POST /v1/findSimilar. */
type DisplayedSearch = {
  results: DisplayedResult[];
  searchTimeMs: number;
  service: { sources: Record<string, SourceReport>; filters: Record<string, { removed: number }> };
};

/** Builds the page of a search, of similar pages or of research: the answer, the same as JSON, and the call as code. */
export function buildPlayPage(
  { asked, call, ran }: { asked: PlayRequest; call: PlayCall; ran: PlayResult },
  surroundings: PlayContext,
): Answer {
  const { site } = surroundings;
  const { status, headers } = buildOutcome(ran);
  return buildPage({
    site,
    title: (asked.query || asked.url).slice(0, 80).toWellFormed(),
    status: status ?? 200,
    scripts: [PLAY_SCRIPT],
    headers: { Vary: 'Accept', ...headers },
    main: html`<h1 class="hidden">Search</h1>
${renderPlayForms(asked, { withSamples: false })}
<div class="found">
<section class="results" aria-label="Results">${ran.ok ? renderViews(ran, { asked, ...surroundings }) : renderRefusal(ran.failure, site.terms)}</section>
<aside id="code" aria-label="This call as code"><h2>This call as code</h2>
${renderCallAsCode(call, surroundings)}</aside>
</div>`,
  });
}

function renderViews(
  { answer, remaining }: PlayResult & { ok: true },
  asked: { asked: PlayRequest } & PlayContext,
): Html {
  const json = JSON.stringify(answer.body, null, 2);
  const panels = [
    { title: 'Result', body: renderAnswer(answer, asked) },
    { title: 'JSON', body: renderCodeBlock({ id: 'answer', label: 'The answer', code: json }) },
  ];
  return html`${renderIncomplete(answer)}${renderTabs({ name: 'view', legend: 'How to show the result', panels })}${renderFreeLeft(remaining)}`;
}

/** Renders what an answer lacks for lack of time, so that its absence is not taken for the answer. */
export function renderIncomplete({ incomplete = [] }: Pick<Answer, 'incomplete'>): Html | null {
  if (incomplete.length === 0) return null;
  return html`<p class="notice" role="status">There was no time for ${describeLateParts(incomplete)}. Reload the page in a moment.</p>`;
}

function renderAnswer(answer: Answer, { asked, sources }: { asked: PlayRequest } & PlayContext): Html {
  // The bodies are those of the routes that were called.
  if (asked.play === 'answer') return renderAnswered(answer.body as DisplayedAnswer, asked.query);
  if (asked.play === 'research') return renderResearch(answer.body as DisplayedResearch, asked.query);
  return renderSearch(answer.body as DisplayedSearch, { asked, sources });
}

function renderSearch(
  { results, searchTimeMs, service }: DisplayedSearch,
  { asked, sources }: Pick<PlayContext, 'sources'> & { asked: PlayRequest },
): Html {
  const reports = Object.entries(service.sources);
  if (results.length === 0)
    return renderEmptyState({ title: 'No page matches', text: renderSuggestions(asked, service, sources) });
  const likely = results.filter(({ weak }) => weak !== true).length;
  return html`<h2>${likely === 0 ? 'No page is likely to be relevant' : formatPageCount(likely)}</h2>
<p class="quiet">Found in ${formatNumber(searchTimeMs)} ms. ${reports.map((report) => renderSource(report))}</p>
${renderResultList(results, asked)}
${likely < FEW_RESULTS && html`<div class="empty"><p class="title">Looking for more?</p>${renderSuggestions(asked, service, sources)}</div>`}`;
}

function renderSource([name, report]: [string, SourceReport]): Html {
  return report.ok
    ? html`<span class="badge">${name} ${report.results}</span> `
    : html`<span class="badge warn">${name}: ${report.error.replaceAll('_', ' ')}</span> `;
}

/** Renders suggestions for when little or nothing was found. */
function renderSuggestions(
  asked: PlayRequest,
  { filters, sources }: DisplayedSearch['service'],
  readings: readonly SourceReading[],
): Html {
  const removed = Object.values(filters).reduce((sum, filter) => sum + filter.removed, 0);
  const failed = Object.entries(sources).filter(([, report]) => !report.ok);
  const isFiltered = asked.site !== '' || asked.since !== '';
  return html`<ul>
${isFiltered && html`<li><a href="${buildPlayLink('/', { ...asked, site: '', since: '' })}">Search without the filters</a>${removed > 0 && `, which kept out ${formatNumber(removed)} ${removed === 1 ? 'page' : 'pages'}`}.</li>`}
${failed.length > 0 && html`<li>${failed.map(([name]) => name).join(', ')} did not answer; search again in a moment.</li>`}
${asked.play === 'search' ? html`<li>Use fewer words, or the words that a page about it would use.</li>` : html`<li>Try a page with more text on its subject.</li>`}
<li>Know a page? <a href="/read">Read it</a>; what was read is searched from then on.</li>
<li>${describeReach(computeReach(readings))}</li>
</ul>`;
}

function renderFreeLeft(remaining: number | null): Html | null {
  if (remaining === null) return null;
  return html`<p class="quiet">${formatNumber(remaining)} free ${remaining === 1 ? 'request' : 'requests'} left today from your address.</p>`;
}

/** The displayed fields of the answer of POST /v1/research. */
type DisplayedResearch = {
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
function renderResearch(found: DisplayedResearch, query: string): Html {
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

/** Renders the reason why a call was refused, and the next steps. */
export function renderRefusal(failure: Failure, terms: Terms | null): Html {
  const { code, message, fields } = failure;
  const isAboutKeys = code === 'keyless_limit' || code === 'invalid_api_key';
  return html`<section class="refusal" role="alert">
<h2>${TITLES[code] ?? 'That did not work'}</h2>
${isAboutKeys ? renderNextSteps(code, terms) : fields.length === 0 ? html`<p>${message}</p>` : html`<ul>${fields.map((field) => html`<li>Your input ${field.message}.</li>`)}</ul>`}
</section>`;
}

function renderNextSteps(code: Failure['code'], terms: Terms | null): Html {
  return html`<p>${code === 'keyless_limit' ? 'They reset at midnight UTC.' : 'Call it from a program with your key.'}${terms?.freeKeys || terms?.sells ? ' To continue now:' : null}</p>
<div class="actions">${terms?.freeKeys ? renderFreeKeyButton() : null}${terms?.sells ? html`<a class="button second" href="/pricing">See the packs</a>` : null}</div>`;
}

/** Renders the button that claims the free key of the visitor's network. */
export function renderFreeKeyButton(): Html {
  return html`<form method="post" action="/free-key"><button class="button" type="submit">Get a free key</button> <span class="quiet">${formatNumber(FREE_KEY_CREDITS)} credits, no sign-up</span></form>`;
}

/** The sources that searches on this server reach. */
type Reach = { hasIndex: boolean; web: SourceReading[]; fields: SourceReading[] };

export function computeReach(readings: readonly SourceReading[]): Reach {
  const on = readings.filter(({ state }) => state === 'on');
  return {
    hasIndex: on.some(({ scope }) => scope === 'index'),
    web: on.filter(({ scope }) => scope === 'web'),
    fields: on.filter(({ scope }) => scope === 'field'),
  };
}

/** Describes the reach in one sentence. It mentions the whole web only where a source covers it. */
export function describeReach({ hasIndex, web, fields }: Reach): string {
  const parts = [
    ...(web.length > 0 ? [`the whole web through ${formatList(web.map(({ name }) => name))}`] : []),
    ...(hasIndex ? ['the pages that this server has read, crawled or imported'] : []),
    ...(fields.length > 0 ? [`${formatList(fields.map(({ name }) => name))}`] : []),
  ];
  if (parts.length === 0) return 'No source is on, so searches find nothing; pages can be read.';
  return `Searches ${formatList(parts)}.${web.length > 0 ? '' : ' No source for the whole web is on.'}`;
}

/** Renders the sources that are on, each with a description of its content. */
export function renderReach({ hasIndex, web, fields }: Reach): Html {
  const lines = [
    ...(hasIndex ? [{ name: 'index', about: 'pages that this server has read, crawled or imported' }] : []),
    ...web,
    ...fields,
  ];
  return html`<dl class="reach">${lines.map(({ name, about }) => html`<div><dt>${name}</dt><dd>${about}</dd></div>`)}</dl>`;
}

function formatList(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}

/** The routes behind the kinds of calls. Each call counts and costs the same as for a program. */
export type PlayRoutes = Record<Play, PricedRoute>;

/** The result of a call. `remaining` is the number of free requests left; null where nothing is counted. */
export type PlayResult =
  | ({ ok: true } & Awaited<ReturnType<RunNestedRoute>>)
  | { ok: false; failure: Failure };

/** Runs a call for the visitor of a page. Failures are returned, except internal ones, which are thrown. */
export async function runPlay(
  { target, body }: Pick<PlayCall, 'target' | 'body'>,
  { route, runAlso }: { route: PricedRoute; runAlso: RunNestedRoute },
): Promise<PlayResult> {
  try {
    // The reader answers in Markdown unless it is asked for its fields.
    const headers = { accept: 'application/json' };
    return { ok: true, ...(await runAlso(route, { target, body: body ?? {}, headers })) };
  } catch (failure) {
    if (failure instanceof Failure && failure.code !== 'internal') return { ok: false, failure };
    throw failure;
  }
}

/** Builds the status and the headers of the page about a call. */
export function buildOutcome(ran: PlayResult): Pick<Answer, 'status'> & { headers: Record<string, string> } {
  if (ran.ok) return { status: 200, headers: {} };
  const { code, retryAfterSeconds } = ran.failure;
  return {
    status: STATUS_OF[code],
    headers: {
      ...(code === 'keyless_limit' ? { [REMAINING_HEADER]: '0' } : {}),
      ...(retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  };
}

export type CodeContext = { site: Website; serviceUrl: string; brand: string };

/** Renders a call in curl, JavaScript and Python, and as the tool call of an agent with the configuration of its client. */
export function renderCallAsCode(
  { method, target, body, tool }: PlayCall,
  { site, serviceUrl, brand }: CodeContext,
): Html {
  const withKey = site.terms !== null;
  const programs = buildPrograms({ method, url: serviceUrl + target, body, withKey });
  const config = renderCodeBlock({
    id: 'code-mcp',
    label: 'mcp.json',
    code: formatMcpConfig({ site, serviceUrl }),
  });
  const call = renderCodeBlock({
    id: 'code-tool',
    label: 'The agent then calls',
    code: `${brand}_${tool.name} ${JSON.stringify(tool.given, null, 2)}`,
  });
  const panels = [
    ...programs.map(({ language, code }) => ({
      title: language,
      body: renderCodeBlock({ id: `code-${language.toLowerCase()}`, label: language, code }),
    })),
    { title: 'MCP', body: html`${config}${call}` },
  ];
  return renderTabs({ name: 'code', legend: 'This call as code', panels });
}

function formatMcpConfig({ site, serviceUrl }: Pick<CodeContext, 'site' | 'serviceUrl'>): string {
  const name = site.name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const headers = site.terms === null ? {} : { headers: { Authorization: 'Bearer <key>' } };
  const server = { type: 'http', url: `${serviceUrl}/mcp`, ...headers };
  return JSON.stringify({ mcpServers: { [name]: server } }, null, 2);
}
