import type { SourceReport } from '../../../recall/recall.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import type { Answer } from '../../calls/call.ts';
import { formatNumber } from '../amounts.ts';
import { loadScript } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { renderCodeBlock, renderEmptyState, renderTabs } from '../shell/parts.ts';
import { type CodeContext, renderCallAsCode } from './call-as-code.ts';
import { renderPlayForms } from './play-forms.ts';
import { buildPlayLink, type PlayCall, type PlayRequest } from './plays.ts';
import { computeReach, describeReach } from './reach.ts';
import { renderRefusal } from './refusal.ts';
import { type DisplayedResearch, renderResearch } from './research-view.ts';
import { type DisplayedResult, formatPageCount, renderResultList } from './result-list.ts';
import { buildOutcome, type PlayResult } from './run-play.ts';

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
  return html`${renderTabs({ name: 'view', legend: 'How to show the result', panels })}${renderFreeLeft(remaining)}`;
}

function renderAnswer(answer: Answer, { asked, sources }: { asked: PlayRequest } & PlayContext): Html {
  // The bodies are those of the routes that were called.
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
