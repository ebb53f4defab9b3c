import type { KeyRecord } from '../../../billing/keys/keys.ts';
import { formatKeyTerms } from '../../../billing/limits/key-terms.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { renderHiddenFields, renderTable, renderTime } from './account-frame.ts';

/** Values of the forms on a page about keys: the session's CSRF token, and the input of a form that was rejected. */
export type KeyForms = {
  csrf: string;
  typed: URLSearchParams;
  problems: FieldProblem[];
  now: number;
  /** Only the operator may change limits and add keys. */
  isBound: boolean;
};

/** A new secret, shown only once. */
export type NewSecret = { apiKey: string; what: string };

/** Renders the keys of an account, and the form to add one. */
export function renderKeys(
  records: KeyRecord[],
  { forms, usedBy, secret }: { forms: KeyForms; usedBy: Map<string, number>; secret: NewSecret | null },
): Html {
  return html`<h1>Keys</h1>
<p class="lead">All keys of the account draw on the same credits. Give each program its own, so that you can limit, rotate or revoke it alone.</p>
${secret !== null && renderSecret(secret)}
${renderTable('Keys', {
  columns: [
    { title: 'Key' },
    { title: 'May' },
    { title: 'State' },
    { title: 'Limits' },
    { title: 'Credits in 30 days', isNumber: true },
  ],
  rows: records.map((record) => [
    record.state === 'revoked'
      ? renderName(record)
      : html`<a href="/account/keys/${record.id}">${renderName(record)}</a>`,
    record.manages ? 'call and manage' : 'call',
    renderState(record, forms.now),
    formatKeyTerms(record.terms),
    formatNumber(usedBy.get(record.id) ?? 0),
  ]),
})}
${forms.isBound ? html`<p class="notice">${BOUND}</p>` : renderAddForm(forms)}`;
}

const BOUND =
  'The operator of this service has set limits for this account. Ask them to change the limits, or for a further key.';

function renderAddForm(forms: KeyForms): Html {
  return html`<form class="panel" method="post" action="/account/keys"><h2>Add a key</h2>${renderHiddenFields({ csrf: forms.csrf })}
<div class="fields">${renderLabelField(forms)}${renderLimitFields(forms)}</div>
${renderManagesCheckbox(forms.typed.get('manages') === '1')}
<button class="button" type="submit">Add a key</button></form>`;
}

/** Renders one key with the forms to limit, rotate and revoke it. */
export function renderKey(
  record: KeyRecord,
  {
    forms,
    callsToday,
    secret,
    problem,
  }: { forms: KeyForms; callsToday: number | null; secret: NewSecret | null; problem: string | null },
): Html {
  const action = `/account/keys/${record.id}`;
  return html`<p><a href="/account/keys">All keys</a></p>
<h1>${renderName(record)} ${renderState(record, forms.now)}</h1>
${problem !== null && html`<p class="problem" role="alert">${problem}</p>`}
${secret !== null && renderSecret(secret)}
<p>Made ${renderTime(record.createdAt)}. ${formatKeyTerms(record.terms) === 'no limits' ? 'It has no limits but the credits of the account.' : `Limits: ${formatKeyTerms(record.terms)}.`}${callsToday === null ? null : html` ${formatNumber(callsToday)} calls made today (UTC).`}</p>
<div class="two">
<form class="panel" method="post" action="${action}/change"><h2>${forms.isBound ? 'Label' : 'Label and limits'}</h2>${renderHiddenFields({ csrf: forms.csrf })}
<div class="fields">${renderLabelField(forms, record.label)}${forms.isBound ? null : renderLimitFields(forms, record)}</div>
${forms.isBound && html`<p class="notice">${BOUND}</p>`}
${renderManagesCheckbox(record.manages)}
<button class="button second" type="submit">Save</button></form>
<div>
${record.oldUntil !== null && record.oldUntil > forms.now && renderOldSecret(record.oldUntil, { action, csrf: forms.csrf })}
<form class="panel" method="post" action="${action}/rotate"><h2>Rotate</h2>${renderHiddenFields({ csrf: forms.csrf })}
<p>Gives the key a new secret. Label, limits and running jobs stay.</p>
<div class="field"><label for="overlap">The old secret works on for</label>
<select id="overlap" name="overlap">${OVERLAPS.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select></div>
<button class="button second" type="submit">Rotate the key</button></form>
<form class="panel" method="post" action="${action}/revoke"><h2>Revoke</h2>${renderHiddenFields({ csrf: forms.csrf })}
<p>The key stops working at once and for good. The credits stay with the account.</p>
<label class="switch"><input type="checkbox" name="sure" value="1" required> Yes, revoke this key</label>
<button class="button second" type="submit">Revoke the key</button></form>
</div></div>`;
}

/** Durations for which an old secret may keep working, as the form and `--overlap` write them. */
const OVERLAPS = [
  ['24h', '24 hours'],
  ['0', 'no longer: it ends now'],
  ['1h', '1 hour'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const;

function renderOldSecret(until: number, { action, csrf }: { action: string; csrf: string }): Html {
  return html`<form class="panel" method="post" action="${action}/end-old">${renderHiddenFields({ csrf })}
<p>The secret from before the last rotation works until ${renderTime(until)}.</p>
<button class="button second small" type="submit">End it now</button></form>`;
}

function renderSecret({ apiKey, what }: NewSecret): Html {
  return html`<div class="key-box" role="status">
<h2 id="key-name">${what}</h2>
<p class="key-line"><code id="key" aria-labelledby="key-name" tabindex="0">${apiKey}</code> <button class="copy" type="button" data-copy="key" aria-label="Copy the key">Copy</button></p>
<p>Store it now: it cannot be shown again.</p>
</div>`;
}

function renderName({ hint, label }: KeyRecord): Html {
  return html`<code>${hint}…</code>${label !== null && ` ${label}`}`;
}

function renderState({ state, terms }: KeyRecord, now: number): Html {
  const isOver = terms.expiresAt !== null && terms.expiresAt <= now;
  if (state === 'active' && !isOver) return html`<span class="badge good">active</span>`;
  return html`<span class="badge ${state === 'frozen' ? 'alarm' : 'warn'}">${state === 'active' ? 'expired' : state}</span>`;
}

function renderLabelField({ typed }: KeyForms, label: string | null = null): Html {
  return html`<div class="field"><label for="label">Label</label><input id="label" name="label" maxlength="100" value="${typed.get('label') ?? label ?? ''}"></div>`;
}

function renderLimitFields(forms: KeyForms, record?: KeyRecord): Html[] {
  const { perMinute = null, perDay = null, expiresAt = null } = record?.terms ?? {};
  const end = expiresAt === null ? '' : new Date(expiresAt).toISOString().replace('.000', '');
  return [
    renderLimitField(forms, { name: 'per_minute', label: 'Calls a minute', value: String(perMinute ?? '') }),
    renderLimitField(forms, { name: 'per_day', label: 'Calls a day (UTC)', value: String(perDay ?? '') }),
    renderLimitField(forms, { name: 'expires', label: 'Ends (30d, 2027-01-31)', value: end }),
  ];
}

/** Renders the field of a limit; an empty one means no limit. */
function renderLimitField(
  { typed, problems }: KeyForms,
  { name, label, value }: { name: string; label: string; value: string },
): Html {
  const problem = problems.find(({ field }) => field === name);
  const described = html` aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" maxlength="40" placeholder="no limit" value="${typed.get(name) ?? value}"${problem !== undefined && described}>${problem !== undefined && html`<p class="problem" id="${name}-problem">This ${problem.message}.</p>`}</div>`;
}

function renderManagesCheckbox(isOn: boolean): Html {
  return html`<label class="switch"><input type="checkbox" name="manages" value="1"${isOn && html` checked`}> Whoever has it may also sign in here and manage the account</label>`;
}
