import { count } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps, CurrentLoad } from '../console-types.ts';
import { barChart } from '../parts/chart.ts';
import { figures } from '../parts/controls.ts';
import { many, milliseconds, size, span } from '../parts/words.ts';
import type { Section } from '../section.ts';
import type { LoadPoint } from '../state/load-of-day.ts';

const SPAN_MINUTES = 15;
/** Labels below a chart of a day: one for every four hours. */
const LABEL_EVERY = 16;

/** GET /admin: how the process is doing. */
export const overviewSection: Section = {
  path: '/admin',
  name: 'Overview',
  actions: {},
  async show(deps) {
    const [stats, runs] = await Promise.all([deps.index.stats(), deps.runs.list()]);
    const running = runs.filter(({ state }) => state === 'running').length;
    const waiting = runs.filter(({ state }) => state === 'waiting').length;
    const refresh = html`<p class="quiet">As of now; reload the page for newer figures.</p>`;
    return {
      main: html`${troubles(deps)}
<section aria-labelledby="now"><h2 id="now">Now</h2>
${loadFigures(deps.load())}
${figures([
  {
    name: 'Pages in the index',
    value: count(stats.pages),
    note: `${many(stats.hosts, 'host')}, ${size(stats.bytes)}`,
  },
  { name: 'Crawls and imports', value: count(running), note: `at work; ${count(waiting)} waiting` },
])}
${refresh}</section>
${dayOf(deps.loadOfDay.spans(SPAN_MINUTES))}`,
    };
  },
};

function loadFigures({ calls, threads, loopDelayMs, residentBytes, heapBytes, upMs }: CurrentLoad): Html {
  return figures([
    { name: 'Calls at work', value: `${calls.taken} of ${calls.slots}`, note: `${calls.waiting} waiting` },
    {
      name: 'Threads at work',
      value: `${threads.taken} of ${threads.slots}`,
      note: `${many(threads.waiting, 'task')} waiting`,
    },
    { name: 'Memory', value: size(residentBytes), note: `${size(heapBytes)} of it in the heap` },
    { name: 'Event loop late by', value: milliseconds(loopDelayMs), note: `running for ${span(upMs)}` },
  ]);
}

function troubles({ sources, money, index }: ConsoleDeps): Html | null {
  const open = sources.readings().filter(({ state, breaker }) => state === 'on' && breaker === 'open');
  const rebuilding = index.rebuilding();
  const last = money?.audit.state().last ?? null;
  const found = last?.findings?.length ?? 0;
  const lines = [
    ...open.map(
      ({ name }) => html`<a href="/admin/sources">${name}</a> is failing and is not called for a while.`,
    ),
    ...(rebuilding === null
      ? []
      : [html`The index is being rebuilt: ${count(rebuilding.pages)} of ${count(rebuilding.of)} pages.`]),
    ...(found === 0
      ? []
      : [html`The last <a href="/admin/payments">audit of the ledger</a> found ${many(found, 'fault')}.`]),
  ];
  if (lines.length === 0) return null;
  return html`<div class="problem"><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>`;
}

/** The last day as two charts: how many requests, and how long they took. */
function dayOf(points: LoadPoint[]): Html {
  const total = (of: (point: LoadPoint) => number): number =>
    points.reduce((all, point) => all + of(point), 0);
  const axis = points.filter((_, place) => place % LABEL_EVERY === 0).map(({ at }) => hourOf(at));
  const [requests, refused, failed] = [
    total((point) => point.requests),
    total((point) => point.refused),
    total((point) => point.failed),
  ];
  const slowest = Math.max(0, ...points.map(({ p95Ms }) => p95Ms ?? 0));
  return html`<section aria-labelledby="day"><h2 id="day">The last day</h2>
<p class="quiet">Kept in the memory of this process since its start, in spans of ${SPAN_MINUTES} minutes; times are UTC. Probes and pages of this console count too.</p>
${barChart({
  caption: `${many(requests, 'request')}: ${count(refused)} refused (4xx), ${count(failed)} failed (5xx).`,
  series: [
    { name: 'answered', look: 'bar' },
    { name: 'refused', look: 'refused' },
    { name: 'failed', look: 'failed' },
  ],
  bars: points.map((point) => ({
    name: hourOf(point.at),
    values: [point.requests - point.refused - point.failed, point.refused, point.failed],
  })),
  axis: [...axis, 'now'],
  unit: 'requests',
})}
${barChart({
  caption: `In the slowest span, 19 of 20 requests took ${count(slowest)} ms at most.`,
  series: [{ name: 'ms for 19 of 20 requests', look: 'bar' }],
  bars: points.map(({ at, p95Ms }) => ({ name: hourOf(at), values: [p95Ms ?? 0] })),
  axis: [...axis, 'now'],
  unit: 'ms',
})}</section>`;
}

const hourOf = (at: number): string => new Date(at).toISOString().slice(11, 16);
