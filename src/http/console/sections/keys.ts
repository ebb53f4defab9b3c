import { randomUUID } from 'node:crypto';
import { ISSUE_REF } from '../../../billing/keys/key-procedures.ts';
import type { KeyRecord } from '../../../billing/keys/keys.ts';
import { type KeyTerms, NO_TERMS } from '../../../billing/limits/key-limits.ts';
import { formatKeyTerms, parseCalls, parseExpiry } from '../../../billing/limits/key-terms.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps, ConsoleMoney } from '../console-types.ts';
import {
  createFieldFailure,
  formatCount,
  readFormNumber,
  readFormText,
  readRequiredText,
  renderBadge,
  renderCheckbox,
  renderConfirmedButton,
  renderField,
  renderFigures,
  renderHiddenFields,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';

const PATH = '/admin/keys';
const LISTED = 100;
const CREDITS_MAX = 1_000_000_000;
const LABEL_CHARS_MAX = 100;

/** GET /admin/keys: the newest keys, or one of them with its limits and credits. */
export const keysSection: Section = {
  path: PATH,
  name: 'Keys',
  async show(deps, asked) {
    const { keys } = requireMoney(deps);
    const now = deps.clock.now();
    const id = asked.query.get('id') ?? asked.typed.get('id');
    const record = id === null ? null : await keys.show(id);
    if (record !== null) return { main: renderKey(record, { ...asked, now }) };
    return {
      main: html`${id !== null && html`<p class="problem" role="alert">There is no such key.</p>`}${await renderKeyList(keys, { ...asked, now })}`,
    };
  },
  actions: { create, find, limit, grant, revoke },
};

type TimedRequest = SectionRequest & { now: number };

function requireMoney({ money }: ConsoleDeps): ConsoleMoney {
  if (money === null) throw new Error('pages about keys are served only where calls are metered');
  return money;
}

async function renderKeyList(keys: ConsoleMoney['keys'], { csrf, typed, now }: TimedRequest): Promise<Html> {
  const records = await keys.list(LISTED);
  const limits = renderTermFields(NO_TERMS, typed);
  return html`<form class="panel" method="post" action="${PATH}">${renderHiddenFields({ csrf, do: 'find' })}${renderField({ name: 'key', label: 'Find a key by its id, or by the key itself', maxlength: 200, required: true })}<button class="button second" type="submit">Show</button></form>
${renderTable({
  label: 'Keys, the newest first',
  columns: [
    ...[{ title: 'Key' }, { title: 'Label' }, { title: 'Kind' }, { title: 'State' }],
    ...[{ title: 'Credits', isNumber: true } as const, { title: 'Limits' }, { title: 'Created (UTC)' }],
  ],
  rows: records.map((record) => [
    html`<a href="${PATH}?id=${record.id}"><code>${record.hint}…</code></a>`,
    record.label ?? '',
    record.kind,
    renderState(record, now),
    formatNumber(record.credits),
    formatKeyTerms(record.terms),
    renderTime(record.createdAt),
  ]),
  empty: 'There are no keys yet.',
})}
<form class="panel" method="post" action="${PATH}"><h2>Create a key</h2>${renderHiddenFields({ csrf, do: 'create' })}
<div class="stack">${renderField({ name: 'label', label: 'Label', value: typed.get('label'), maxlength: LABEL_CHARS_MAX, hint: 'Whom or what it is for; optional.' })}
${renderField({ name: 'credits', label: 'Credits', value: typed.get('credits') ?? '1000', type: 'number' })}
${limits}
${renderCheckbox({ name: 'no_store', label: 'Keep nothing that its calls read', checked: typed.has('no_store') })}</div>
<button class="button" type="submit">Create</button></form>`;
}

function renderKey(record: KeyRecord, { csrf, typed, now }: TimedRequest): Html {
  const { id, hint, kind, label, credits, held, terms, network, noStore, createdAt } = record;
  const isOver = record.state === 'revoked';
  return html`<p><a href="${PATH}">All keys</a></p>
<h2><code>${hint}…</code> ${renderState(record, now)}</h2>
${renderFigures([
  { name: 'Credits', value: formatNumber(credits), note: `${formatNumber(held)} held by running calls` },
  { name: 'Kind', value: kind, note: label ?? 'without a label' },
])}
<p><code>${id}</code>, created ${renderTime(createdAt)} UTC${network !== null && html`, claimed by the network ${network}`}${noStore && '; nothing that it reads is kept for others'}. Limits: ${formatKeyTerms(terms)}.</p>
<div class="two">${isOver ? null : renderGrantForm(id, { csrf, typed })}${kind === 'operator' && !isOver ? renderLimitForm(record, { csrf, typed }) : null}</div>
${kind !== 'operator' && html`<p class="quiet">Only its credits limit a ${kind} key. Limits are for keys that an operator made.</p>`}
${isOver ? null : renderConfirmedButton({ path: PATH, act: 'revoke', csrf, label: 'Revoke', about: `${hint}…`, fields: { id }, question: `This cannot be undone. Its ${formatNumber(credits)} credits can then no longer be spent.` })}`;
}

/** Renders the form to grant credits. Its reference is created with the form, so that sending it twice grants once. */
function renderGrantForm(id: string, { csrf, typed }: Pick<SectionRequest, 'csrf' | 'typed'>): Html {
  const ref = typed.get('ref') ?? `grant:${randomUUID()}`;
  return html`<form class="panel" method="post" action="${PATH}"><h3>Grant credits</h3>${renderHiddenFields({ csrf, do: 'grant', id })}
${renderField({ name: 'credits', label: 'Credits', value: typed.get('credits'), type: 'number', required: true })}
${renderField({ name: 'ref', label: 'Reference', value: ref, hint: 'Such as an invoice; each reference counts once.', maxlength: LABEL_CHARS_MAX, required: true })}
<button class="button" type="submit">Grant</button></form>`;
}

function renderLimitForm(
  { id, terms }: KeyRecord,
  { csrf, typed }: Pick<SectionRequest, 'csrf' | 'typed'>,
): Html {
  return html`<form class="panel" method="post" action="${PATH}"><h3>Limits</h3>${renderHiddenFields({ csrf, do: 'limit', id })}
<div class="stack">${renderTermFields(terms, typed)}</div>
<button class="button" type="submit">Change the limits</button></form>`;
}

function renderTermFields({ perMinute, perDay, expiresAt }: KeyTerms, typed: URLSearchParams): Html {
  const formatLimit = (number: number | null): string => (number === null ? '' : String(number));
  const end = expiresAt === null ? '' : new Date(expiresAt).toISOString().replace(/\.\d+/, '');
  return html`${renderField({ name: 'per_minute', label: 'Calls a minute', value: typed.get('per_minute') ?? formatLimit(perMinute), type: 'number', hint: 'Counted by each server process. Empty: no limit.' })}
${renderField({ name: 'per_day', label: 'Calls a day (UTC)', value: typed.get('per_day') ?? formatLimit(perDay), type: 'number', hint: 'Empty: no limit.' })}
${renderField({ name: 'expires', label: 'Ends', value: typed.get('expires') ?? end, hint: '30d, 12h, 2026-12-31 (the end of that day, UTC) or an instant. Empty: never.' })}`;
}

function renderState({ state, terms }: KeyRecord, now: number): Html {
  // The ledger still lists expired keys as active.
  if (state === 'active' && terms.expiresAt !== null && terms.expiresAt <= now)
    return renderBadge('expired', 'warn');
  return renderBadge(state, state === 'active' ? 'good' : state === 'frozen' ? 'warn' : 'plain');
}

function readTerms(form: URLSearchParams, now: number): KeyTerms {
  const readCallLimit = (name: string): number | null => {
    const text = readFormText(form, name);
    if (text === null) return null;
    const read = parseCalls(text);
    if (!read.ok) throw createFieldFailure(name, read.why);
    return read.value;
  };
  const expires = readFormText(form, 'expires');
  const expiry = expires === null ? null : parseExpiry(expires, now);
  if (expiry !== null && !expiry.ok) throw createFieldFailure('expires', expiry.why);
  return {
    perMinute: readCallLimit('per_minute'),
    perDay: readCallLimit('per_day'),
    expiresAt: expiry?.value ?? null,
  };
}

async function create(deps: ConsoleDeps, form: URLSearchParams) {
  const { keys } = requireMoney(deps);
  const credits = readFormNumber(form, 'credits', { min: 0, max: CREDITS_MAX }) ?? 0;
  const label = readFormText(form, 'label', LABEL_CHARS_MAX);
  const terms = readTerms(form, deps.clock.now());
  const { keyId, apiKey } = await keys.create({ credits, label, noStore: form.has('no_store'), terms });
  await deps.actions.record({
    action: 'key created',
    id: keyId,
    outcome: `${credits} credits, ${formatKeyTerms(terms)}`,
  });
  return { text: `This is ${keyId} with ${formatCount(credits, 'credit')}.`, secret: apiKey };
}

/** Redirects to the key's page by its id, because an address must not contain the key itself. */
async function find(deps: ConsoleDeps, form: URLSearchParams) {
  const record = await requireMoney(deps).keys.show(readRequiredText(form, 'key', 200));
  if (record === null) throw createFieldFailure('key', 'is no key of this service');
  return { text: `This is ${record.id}.`, to: `${PATH}?id=${record.id}` };
}

async function requireKey(deps: ConsoleDeps, form: URLSearchParams): Promise<KeyRecord> {
  const record = await requireMoney(deps).keys.show(readRequiredText(form, 'id', 200));
  if (record === null) throw createFieldFailure('id', 'is no key of this service');
  return record;
}

async function limit(deps: ConsoleDeps, form: URLSearchParams) {
  const { id, kind } = await requireKey(deps, form);
  if (kind !== 'operator') throw createFieldFailure('id', `is a ${kind} key: only its credits limit it`);
  const terms = readTerms(form, deps.clock.now());
  await requireMoney(deps).keys.changeTerms(id, terms);
  await deps.actions.record({ action: 'key limited', id, outcome: formatKeyTerms(terms) });
  return { text: `Limits of ${id}: ${formatKeyTerms(terms)}.`, to: `${PATH}?id=${id}` };
}

async function grant(deps: ConsoleDeps, form: URLSearchParams) {
  const { id: keyId, state } = await requireKey(deps, form);
  if (state === 'revoked') throw createFieldFailure('id', 'is revoked and cannot spend credits');
  const credits = readFormNumber(form, 'credits', { min: 1, max: CREDITS_MAX });
  if (credits === null) throw createFieldFailure('credits', 'must not be empty');
  const ref = readRequiredText(form, 'ref', LABEL_CHARS_MAX);
  if (ref.startsWith(ISSUE_REF))
    throw createFieldFailure('ref', `must not begin with ${ISSUE_REF}, which is reserved for new keys`);
  const granted = await requireMoney(deps).keys.grant({ keyId, credits, ref });
  if (granted.kind === 'unknown key') throw createFieldFailure('id', 'is no key of this service');
  const to = `${PATH}?id=${keyId}`;
  if (granted.kind === 'granted before') {
    const { before } = granted;
    if (before.keyId !== keyId || before.credits !== credits)
      throw createFieldFailure('ref', `was used before, for ${before.credits} credits of ${before.keyId}`);
    return { text: 'Nothing changed: this reference was already counted.', to };
  }
  await deps.actions.record({ action: 'credits granted', id: keyId, outcome: `${credits} credits` });
  return {
    text: `Granted ${formatCount(credits, 'credit')}; the key now has ${formatNumber(granted.available)}.`,
    to,
  };
}

async function revoke(deps: ConsoleDeps, form: URLSearchParams) {
  const { id } = await requireKey(deps, form);
  await requireMoney(deps).keys.revoke(id);
  await deps.actions.record({ action: 'key revoked', id });
  return { text: `${id} is revoked.`, to: `${PATH}?id=${id}` };
}
