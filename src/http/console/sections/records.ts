import { html } from '../../site/html.ts';
import { renderCodeBlock } from '../../site/shell/parts.ts';
import { renderBadge, renderTable, renderTime } from '../parts/controls.ts';
import type { Section } from '../section.ts';

const MOODS = { default: 'plain', environment: 'on', file: 'good' } as const;
const WORDS = { default: 'default', environment: 'environment', file: '.env' };

/** GET /admin/settings: the settings in force, with their sources. */
export const settingsSection: Section = {
  path: '/admin/settings',
  name: 'Settings',
  actions: {},
  show: async ({ settings }) => ({
    main: html`<p class="lead">As this process read them at its start. Secrets are not shown. To change one, set it in the environment or in <code>.env</code> and restart.</p>
${renderCodeBlock({ id: 'settings-command', label: 'The same as a command', code: 'npm run sanderling -- settings' })}
${renderTable({
  label: 'Settings',
  columns: [{ title: 'Setting' }, { title: 'Value' }, { title: 'From' }],
  rows: settings.map(({ name, value, from }) => [
    html`<code>${name}</code>`,
    html`<span class="address">${value}</span>`,
    renderBadge(WORDS[from], MOODS[from]),
  ]),
  empty: '',
})}`,
  }),
};

const SHOWN = 200;

/** GET /admin/log: the actions done with the token. */
export const logSection: Section = {
  path: '/admin/log',
  name: 'Actions',
  actions: {},
  show: async ({ actions }) => ({
    main: html`<p class="lead">What was done with <code>ADMIN_TOKEN</code>, here and over the API, on every process of these data: the last ${SHOWN} of at most 500 entries.</p>
${renderTable({
  label: 'Actions of the operator',
  columns: [{ title: 'When (UTC)' }, { title: 'Action' }, { title: 'Of what' }, { title: 'Outcome' }],
  rows: (await actions.last(SHOWN)).map(({ at, action, subject, outcome }) => [
    renderTime(at),
    action,
    html`<span class="address">${subject ?? ''}</span>`,
    outcome,
  ]),
  empty: 'Nothing has been done yet.',
})}`,
  }),
};
