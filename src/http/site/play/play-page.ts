import type { SourceReport } from '../../../recall/recall.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import type { Answer } from '../../calls/call.ts';
import { count } from '../amounts.ts';
import { scriptOf } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { page } from '../layout.ts';
import { codeBlock, emptyState, tabs } from '../shell/parts.ts';
import { type CodeOf, callAsCode } from './call-as-code.ts';
import { playForms } from './play-forms.ts';
import { type AskedFor, linkTo, type PlayCall } from './plays.ts';
import { reachInWords, reachOf } from './reach.ts';
import { refusal } from './refusal.ts';
import { researchView, type ShownResearch } from './research-view.ts';
import { pagesInWords, resultList, type ShownResult } from './result-list.ts';
import { outcomeOf, type Ran } from './run-play.ts';

/** Says that a call is under way, and keeps it from being sent twice. */
export const PLAY_SCRIPT = scriptOf(new URL('play.js', import.meta.url));

/** With fewer results the page says how to find more. */
const FEW_RESULTS = 3;

type Surroundings = CodeOf & { sources: readonly SourceReading[] };

/** The answer of POST /v1/search and POST /v1/findSimilar, as far as it is shown. */
type ShownSearch = {
  results: ShownResult[];
  searchTimeMs: number;
  service: { sources: Record<string, SourceReport>; filters: Record<string, { removed: number }> };
};

/** The page of a search, of similar pages or of research: what came back, as JSON, and the call as code. */
export function playPage(
  { asked, call, ran }: { asked: AskedFor; call: PlayCall; ran: Ran },
  surroundings: Surroundings,
): Answer {
  const { site } = surroundings;
  const { status, headers } = outcomeOf(ran);
  return page({
    site,
    title: (asked.query || asked.url).slice(0, 80).toWellFormed(),
    status: status ?? 200,
    scripts: [PLAY_SCRIPT],
    headers: { Vary: 'Accept', ...headers },
    main: html`<h1 class="hidden">Search</h1>
${playForms(asked, { withSamples: false })}
<div class="found">
<section class="results" aria-label="Results">${ran.ok ? bothViews(ran, { asked, ...surroundings }) : refusal(ran.failure, site.terms)}</section>
<aside id="code" aria-label="This call as code"><h2>This call as code</h2>
${callAsCode(call, surroundings)}</aside>
</div>`,
  });
}

function bothViews(
  { answer, remaining }: Ran & { ok: true },
  asked: { asked: AskedFor } & Surroundings,
): Html {
  const json = JSON.stringify(answer.body, null, 2);
  const panels = [
    { title: 'Result', body: shown(answer, asked) },
    { title: 'JSON', body: codeBlock({ id: 'answer', label: 'The answer', code: json }) },
  ];
  return html`${tabs({ name: 'view', legend: 'How to show the result', panels })}${freeLeft(remaining)}`;
}

function shown(answer: Answer, { asked, sources }: { asked: AskedFor } & Surroundings): Html {
  // The bodies are those of the routes that were called.
  if (asked.play === 'research') return researchView(answer.body as ShownResearch, asked.query);
  return searchView(answer.body as ShownSearch, { asked, sources });
}

function searchView(
  { results, searchTimeMs, service }: ShownSearch,
  { asked, sources }: Pick<Surroundings, 'sources'> & { asked: AskedFor },
): Html {
  const reports = Object.entries(service.sources);
  if (results.length === 0)
    return emptyState({ title: 'No page matches', text: ways(asked, service, sources) });
  const likely = results.filter(({ weak }) => weak !== true).length;
  return html`<h2>${likely === 0 ? 'No page is likely to be relevant' : pagesInWords(likely)}</h2>
<p class="quiet">Found in ${count(searchTimeMs)} ms. ${reports.map((report) => sourceNote(report))}</p>
${resultList(results, asked)}
${likely < FEW_RESULTS && html`<div class="empty"><p class="title">Looking for more?</p>${ways(asked, service, sources)}</div>`}`;
}

function sourceNote([name, report]: [string, SourceReport]): Html {
  return report.ok
    ? html`<span class="badge">${name} ${report.results}</span> `
    : html`<span class="badge warn">${name}: ${report.error.replaceAll('_', ' ')}</span> `;
}

/** What to try when little or nothing was found. */
function ways(
  asked: AskedFor,
  { filters, sources }: ShownSearch['service'],
  readings: readonly SourceReading[],
): Html {
  const removed = Object.values(filters).reduce((sum, filter) => sum + filter.removed, 0);
  const failed = Object.entries(sources).filter(([, report]) => !report.ok);
  const isFiltered = asked.site !== '' || asked.since !== '';
  return html`<ul>
${isFiltered && html`<li><a href="${linkTo('/', { ...asked, site: '', since: '' })}">Search without the filters</a>${removed > 0 && `, which kept out ${count(removed)} ${removed === 1 ? 'page' : 'pages'}`}.</li>`}
${failed.length > 0 && html`<li>${failed.map(([name]) => name).join(', ')} did not answer; search again in a moment.</li>`}
${asked.play === 'search' ? html`<li>Use fewer words, or the words that a page about it would use.</li>` : html`<li>Try a page with more text on its subject.</li>`}
<li>Know a page? <a href="/read">Read it</a>; what was read is searched from then on.</li>
<li>${reachInWords(reachOf(readings))}</li>
</ul>`;
}

function freeLeft(remaining: number | null): Html | null {
  if (remaining === null) return null;
  return html`<p class="quiet">${count(remaining)} free ${remaining === 1 ? 'request' : 'requests'} left today from your address.</p>`;
}
