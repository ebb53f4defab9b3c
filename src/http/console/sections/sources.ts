import { SWITCHED_OFF } from '../../../recall/upstream/create-upstreams.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps } from '../console-types.ts';
import {
  createFieldFailure,
  formatMilliseconds,
  formatPercent,
  readRequiredText,
  renderActionButton,
  renderBadge,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section } from '../section.ts';

const PATH = '/admin/sources';

/** GET /admin/sources: the search sources, with a switch for each one that is configured. */
export const sourcesSection: Section = {
  path: PATH,
  name: 'Sources',
  async show({ sources }, { csrf }) {
    const readings = sources.readings();
    const configured = readings.filter(isConfigured);
    const others = readings.filter((reading) => !isConfigured(reading));
    return {
      main: html`<p class="lead">A switch takes effect at once, and stays after a restart. Latency and success are those of the last 200 calls of this process.</p>
${renderTable({
  label: 'Configured sources',
  columns: [
    { title: 'Source' },
    { title: 'State and switch' },
    ...['Calls', 'Success', 'Median', '95 % within', 'Quota left'].map(
      (title) => ({ title, isNumber: true }) as const,
    ),
  ],
  rows: configured.map((reading) => buildRow(reading, csrf)),
  empty: 'No source is configured.',
})}
<h2>Not configured</h2>
${renderTable({
  label: 'Sources that are not configured',
  columns: [{ title: 'Source' }, { title: 'What it finds' }, { title: 'Why it is off' }],
  rows: others.map(({ name, about, why }) => [name, about, why ?? '']),
  empty: 'Every source is configured.',
})}`,
    };
  },
  actions: {
    on: (deps, form) => switchSource(deps, form, 'on'),
    off: (deps, form) => switchSource(deps, form, 'off'),
  },
};

const isConfigured = ({ state, why }: SourceReading): boolean => state === 'on' || why === SWITCHED_OFF;

async function switchSource(deps: ConsoleDeps, form: URLSearchParams, state: 'on' | 'off') {
  const name = readRequiredText(form, 'name');
  const known = deps.sources.readings().find((reading) => reading.name === name);
  if (known === undefined || known.scope === 'index' || !isConfigured(known))
    throw createFieldFailure('name', 'is no configured source');
  await deps.sources.set(name, state);
  await deps.actions.record({ action: `source switched ${state}`, id: name });
  return { text: `${name} is ${state}.` };
}

function buildRow(reading: SourceReading, csrf: string): (Html | string)[] {
  const { name, scope, about, state, calls, p50Ms, p95Ms, successShare, quotaLeft, lastError } = reading;
  const other = state === 'on' ? 'off' : 'on';
  return [
    html`${name}<br><span class="quiet">${about}</span>`,
    html`${renderState(reading)}
${lastError !== null && html`<p class="quiet">Last error: ${lastError.detail}, ${renderTime(lastError.at)}</p>`}
${
  scope === 'index'
    ? html`<p class="quiet">Switched by <code>RECALL</code></p>`
    : renderActionButton({
        path: PATH,
        act: other,
        csrf,
        label: `Switch ${other}`,
        about: name,
        fields: { name },
      })
}`,
    formatNumber(calls),
    formatPercent(successShare),
    formatMilliseconds(p50Ms),
    formatMilliseconds(p95Ms),
    quotaLeft === null ? '–' : formatNumber(quotaLeft),
  ];
}

/** Minimum share of successful calls; a source below it is shown as unreliable. */
const RELIABLE_SHARE = 0.8;

function renderState({ state, breaker, calls, successShare }: SourceReading): Html {
  if (state === 'off') return renderBadge('switched off', 'plain');
  if (breaker === 'closed' && calls === 0) return renderBadge('not asked yet', 'plain');
  if (breaker === 'closed') {
    if (successShare === 0) return renderBadge('no answers', 'alarm');
    return successShare !== null && successShare < RELIABLE_SHARE
      ? renderBadge('often fails', 'warn')
      : renderBadge('answers', 'good');
  }
  return breaker === 'open' ? renderBadge('failing', 'alarm') : renderBadge('being tried', 'warn');
}
