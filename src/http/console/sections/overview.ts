import { StoreUnavailable } from '../../../contract/errors.ts';
import type { IndexStats } from '../../../index/local-index-types.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps, CurrentLoad } from '../console-types.ts';
import { renderBarChart } from '../parts/chart.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMilliseconds,
  renderFigures,
} from '../parts/controls.ts';
import type { Section } from '../section.ts';
import type { LoadPoint } from '../state/load-of-day.ts';

const SPAN_MINUTES = 15;
/** Number of spans per label below a chart of a day: one label for every four hours. */
const LABEL_EVERY = 16;

/** GET /admin: the state and load of the process. */
export const overviewSection: Section = {
  path: '/admin',
  name: 'Overview',
  actions: {},
  async show(deps) {
    const [stats, runs] = await Promise.all([readStats(deps), deps.runs.list()]);
    const running = runs.filter(({ state }) => state === 'running').length;
    const waiting = runs.filter(({ state }) => state === 'waiting').length;
    const refresh = html`<p class="quiet">As of now; reload the page for newer figures.</p>`;
    return {
      main: html`${renderProblems(deps, { isIndexAway: stats === null })}
<section aria-labelledby="now"><h2 id="now">Now</h2>
${renderLoad(deps.load())}
${renderFigures([
  {
    name: 'Pages in the index',
    value: stats === null ? '–' : formatNumber(stats.pages),
    note:
      stats === null ? 'unknown for now' : `${formatCount(stats.hosts, 'host')}, ${formatBytes(stats.bytes)}`,
  },
  {
    name: 'Crawls and imports',
    value: formatNumber(running),
    note: `at work; ${formatNumber(waiting)} waiting`,
  },
])}
${refresh}</section>
${renderDay(deps.loadOfDay.spans(SPAN_MINUTES))}`,
    };
  },
};

/** Reads the figures of the index; null while its server cannot be reached, when the rest of the page is needed most. */
async function readStats({ index }: Pick<ConsoleDeps, 'index'>): Promise<IndexStats | null> {
  try {
    return await index.stats();
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}

function renderLoad({ calls, threads, loopDelayMs, residentBytes, heapBytes, upMs }: CurrentLoad): Html {
  return renderFigures([
    { name: 'Calls at work', value: `${calls.taken} of ${calls.slots}`, note: `${calls.waiting} waiting` },
    {
      name: 'Threads at work',
      value: `${threads.taken} of ${threads.slots}`,
      note: `${formatCount(threads.waiting, 'task')} waiting`,
    },
    {
      name: 'Memory',
      value: formatBytes(residentBytes),
      note: `${formatBytes(heapBytes)} of it in the heap`,
    },
    {
      name: 'Event loop late by',
      value: formatMilliseconds(loopDelayMs),
      note: `running for ${formatDuration(upMs)}`,
    },
  ]);
}

function renderProblems(
  { sources, money, index }: ConsoleDeps,
  { isIndexAway }: { isIndexAway: boolean },
): Html | null {
  const open = sources.readings().filter(({ state, breaker }) => state === 'on' && breaker === 'open');
  const rebuilding = index.rebuilding();
  const last = money?.audit.state().last ?? null;
  const found = last?.findings?.length ?? 0;
  const lines = [
    ...(isIndexAway ? [html`The index cannot be reached; searches do without it until it can.`] : []),
    ...open.map(
      ({ name }) => html`<a href="/admin/sources">${name}</a> is failing and is not called for a while.`,
    ),
    ...(rebuilding === null
      ? []
      : [
          html`The index is being rebuilt: ${formatNumber(rebuilding.pages)} of ${formatNumber(rebuilding.of)} pages.`,
        ]),
    ...(found === 0
      ? []
      : [
          html`The last <a href="/admin/payments">audit of the ledger</a> found ${formatCount(found, 'fault')}.`,
        ]),
  ];
  if (lines.length === 0) return null;
  return html`<div class="problem"><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>`;
}

/** Renders the last day as two charts: the number of requests, and their latency. */
function renderDay(points: LoadPoint[]): Html {
  const sumPoints = (of: (point: LoadPoint) => number): number =>
    points.reduce((all, point) => all + of(point), 0);
  const axis = points.filter((_, place) => place % LABEL_EVERY === 0).map(({ at }) => formatHour(at));
  const [requests, refused, failed] = [
    sumPoints((point) => point.requests),
    sumPoints((point) => point.refused),
    sumPoints((point) => point.failed),
  ];
  const slowest = Math.max(0, ...points.map(({ p95Ms }) => p95Ms ?? 0));
  return html`<section aria-labelledby="day"><h2 id="day">The last day</h2>
<p class="quiet">Kept in the memory of this process since its start, in spans of ${SPAN_MINUTES} minutes; times are UTC. Probes and pages of this console count too.</p>
${renderBarChart({
  caption: `${formatCount(requests, 'request')}: ${formatNumber(refused)} refused (4xx), ${formatNumber(failed)} failed (5xx).`,
  series: [
    { name: 'answered', look: 'bar' },
    { name: 'refused', look: 'refused' },
    { name: 'failed', look: 'failed' },
  ],
  bars: points.map((point) => ({
    name: formatHour(point.at),
    values: [point.requests - point.refused - point.failed, point.refused, point.failed],
  })),
  axis: [...axis, 'now'],
  unit: 'requests',
})}
${renderBarChart({
  caption: `In the slowest span, 19 of 20 requests took ${formatNumber(slowest)} ms at most.`,
  series: [{ name: 'ms for 19 of 20 requests', look: 'bar' }],
  bars: points.map(({ at, p95Ms }) => ({ name: formatHour(at), values: [p95Ms ?? 0] })),
  axis: [...axis, 'now'],
  unit: 'ms',
})}</section>`;
}

const formatHour = (at: number): string => new Date(at).toISOString().slice(11, 16);
