import { randomUUID } from 'node:crypto';
import { ISSUE_REF } from '../../../billing/keys/key-procedures.ts';
import type { KeyRecord } from '../../../billing/keys/keys.ts';
import { type KeyTerms, NO_TERMS } from '../../../billing/limits/key-limits.ts';
import { readCalls, readExpiry } from '../../../billing/limits/read-terms.ts';
import { termsInWords } from '../../../billing/limits/terms-in-words.ts';
import { count } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps, ConsoleMoney } from '../console-types.ts';
import { badge, confirmedButton, field, figures, hidden, table, tick } from '../parts/controls.ts';
import { numberIn, refused, textIn, wantedText } from '../parts/fields.ts';
import { many, moment } from '../parts/words.ts';
import type { Asked, Section } from '../section.ts';

const PATH = '/admin/keys';
const LISTED = 100;
const CREDITS_MAX = 1_000_000_000;
const LABEL_CHARS_MAX = 100;

/** GET /admin/keys: the newest keys, or one of them with its limits and credits. */
export const keysSection: Section = {
  path: PATH,
  name: 'Keys',
  async show(deps, asked) {
    const { keys } = moneyOf(deps);
    const now = deps.clock.now();
    const id = asked.query.get('id') ?? asked.typed.get('id');
    const record = id === null ? null : await keys.show(id);
    if (record !== null) return { main: oneKey(record, { ...asked, now }) };
    return {
      main: html`${id !== null && html`<p class="problem" role="alert">There is no such key.</p>`}${await allKeys(keys, { ...asked, now })}`,
    };
  },
  actions: { create, find, limit, grant, revoke },
};

type Timed = Asked & { now: number };

function moneyOf({ money }: ConsoleDeps): ConsoleMoney {
  if (money === null) throw new Error('pages about keys are served only where calls are metered');
  return money;
}

async function allKeys(keys: ConsoleMoney['keys'], { csrf, typed, now }: Timed): Promise<Html> {
  const records = await keys.list(LISTED);
  const limits = termFields(NO_TERMS, typed);
  return html`<form class="panel" method="post" action="${PATH}">${hidden({ csrf, do: 'find' })}${field({ name: 'key', label: 'Find a key by its id, or by the key itself', maxlength: 200, required: true })}<button class="button second" type="submit">Show</button></form>
${table({
  label: 'Keys, the newest first',
  columns: [
    ...[{ title: 'Key' }, { title: 'Label' }, { title: 'Kind' }, { title: 'State' }],
    ...[{ title: 'Credits', isNumber: true } as const, { title: 'Limits' }, { title: 'Created (UTC)' }],
  ],
  rows: records.map((record) => [
    html`<a href="${PATH}?id=${record.id}"><code>${record.hint}…</code></a>`,
    record.label ?? '',
    record.kind,
    stateOf(record, now),
    count(record.credits),
    termsInWords(record.terms),
    moment(record.createdAt),
  ]),
  empty: 'There are no keys yet.',
})}
<form class="panel" method="post" action="${PATH}"><h2>Create a key</h2>${hidden({ csrf, do: 'create' })}
<div class="stack">${field({ name: 'label', label: 'Label', value: typed.get('label'), maxlength: LABEL_CHARS_MAX, hint: 'Whom or what it is for; optional.' })}
${field({ name: 'credits', label: 'Credits', value: typed.get('credits') ?? '1000', type: 'number' })}
${limits}
${tick({ name: 'no_store', label: 'Keep nothing that its calls read', checked: typed.has('no_store') })}</div>
<button class="button" type="submit">Create</button></form>`;
}

function oneKey(record: KeyRecord, { csrf, typed, now }: Timed): Html {
  const { id, hint, kind, label, credits, held, terms, network, noStore, createdAt } = record;
  const isOver = record.state === 'revoked';
  return html`<p><a href="${PATH}">All keys</a></p>
<h2><code>${hint}…</code> ${stateOf(record, now)}</h2>
${figures([
  { name: 'Credits', value: count(credits), note: `${count(held)} held by running calls` },
  { name: 'Kind', value: kind, note: label ?? 'without a label' },
])}
<p><code>${id}</code>, created ${moment(createdAt)} UTC${network !== null && html`, claimed by the network ${network}`}${noStore && '; nothing that it reads is kept for others'}. Limits: ${termsInWords(terms)}.</p>
<div class="two">${isOver ? null : grantForm(id, { csrf, typed })}${kind === 'operator' && !isOver ? limitForm(record, { csrf, typed }) : null}</div>
${kind !== 'operator' && html`<p class="quiet">Only its credits limit a ${kind} key. Limits are for keys that an operator made.</p>`}
${isOver ? null : confirmedButton({ path: PATH, act: 'revoke', csrf, label: 'Revoke', about: `${hint}…`, fields: { id }, question: `This cannot be undone. Its ${count(credits)} credits can then no longer be spent.` })}`;
}

/** The reference is made with the form, so that sending it twice grants once. */
function grantForm(id: string, { csrf, typed }: Pick<Asked, 'csrf' | 'typed'>): Html {
  const ref = typed.get('ref') ?? `grant:${randomUUID()}`;
  return html`<form class="panel" method="post" action="${PATH}"><h3>Grant credits</h3>${hidden({ csrf, do: 'grant', id })}
${field({ name: 'credits', label: 'Credits', value: typed.get('credits'), type: 'number', required: true })}
${field({ name: 'ref', label: 'Reference', value: ref, hint: 'Such as an invoice; each reference counts once.', maxlength: LABEL_CHARS_MAX, required: true })}
<button class="button" type="submit">Grant</button></form>`;
}

function limitForm({ id, terms }: KeyRecord, { csrf, typed }: Pick<Asked, 'csrf' | 'typed'>): Html {
  return html`<form class="panel" method="post" action="${PATH}"><h3>Limits</h3>${hidden({ csrf, do: 'limit', id })}
<div class="stack">${termFields(terms, typed)}</div>
<button class="button" type="submit">Change the limits</button></form>`;
}

function termFields({ perMinute, perDay, expiresAt }: KeyTerms, typed: URLSearchParams): Html {
  const shown = (number: number | null): string => (number === null ? '' : String(number));
  const end = expiresAt === null ? '' : new Date(expiresAt).toISOString().replace(/\.\d+/, '');
  return html`${field({ name: 'per_minute', label: 'Calls a minute', value: typed.get('per_minute') ?? shown(perMinute), type: 'number', hint: 'Counted by each server process. Empty: no limit.' })}
${field({ name: 'per_day', label: 'Calls a day (UTC)', value: typed.get('per_day') ?? shown(perDay), type: 'number', hint: 'Empty: no limit.' })}
${field({ name: 'expires', label: 'Ends', value: typed.get('expires') ?? end, hint: '30d, 12h, 2026-12-31 (the end of that day, UTC) or an instant. Empty: never.' })}`;
}

function stateOf({ state, terms }: KeyRecord, now: number): Html {
  // Expired keys are still active in the ledger.
  if (state === 'active' && terms.expiresAt !== null && terms.expiresAt <= now)
    return badge('expired', 'warn');
  return badge(state, state === 'active' ? 'good' : state === 'frozen' ? 'warn' : 'plain');
}

function termsIn(form: URLSearchParams, now: number): KeyTerms {
  const calls = (name: string): number | null => {
    const text = textIn(form, name);
    if (text === null) return null;
    const read = readCalls(text);
    if (!read.ok) throw refused(name, read.why);
    return read.value;
  };
  const expires = textIn(form, 'expires');
  const expiry = expires === null ? null : readExpiry(expires, now);
  if (expiry !== null && !expiry.ok) throw refused('expires', expiry.why);
  return { perMinute: calls('per_minute'), perDay: calls('per_day'), expiresAt: expiry?.value ?? null };
}

async function create(deps: ConsoleDeps, form: URLSearchParams) {
  const { keys } = moneyOf(deps);
  const credits = numberIn(form, 'credits', { min: 0, max: CREDITS_MAX }) ?? 0;
  const label = textIn(form, 'label', LABEL_CHARS_MAX);
  const terms = termsIn(form, deps.clock.now());
  const { keyId, apiKey } = await keys.create({ credits, label, noStore: form.has('no_store'), terms });
  await deps.actions.record({
    action: 'key created',
    id: keyId,
    outcome: `${credits} credits, ${termsInWords(terms)}`,
  });
  return { text: `This is ${keyId} with ${many(credits, 'credit')}.`, secret: apiKey };
}

/** Leads to the key's page by its id, because an address must not hold the key itself. */
async function find(deps: ConsoleDeps, form: URLSearchParams) {
  const record = await moneyOf(deps).keys.show(wantedText(form, 'key', 200));
  if (record === null) throw refused('key', 'is no key of this service');
  return { text: `This is ${record.id}.`, to: `${PATH}?id=${record.id}` };
}

async function known(deps: ConsoleDeps, form: URLSearchParams): Promise<KeyRecord> {
  const record = await moneyOf(deps).keys.show(wantedText(form, 'id', 200));
  if (record === null) throw refused('id', 'is no key of this service');
  return record;
}

async function limit(deps: ConsoleDeps, form: URLSearchParams) {
  const { id, kind } = await known(deps, form);
  if (kind !== 'operator') throw refused('id', `is a ${kind} key: only its credits limit it`);
  const terms = termsIn(form, deps.clock.now());
  await moneyOf(deps).keys.changeTerms(id, terms);
  await deps.actions.record({ action: 'key limited', id, outcome: termsInWords(terms) });
  return { text: `Limits of ${id}: ${termsInWords(terms)}.`, to: `${PATH}?id=${id}` };
}

async function grant(deps: ConsoleDeps, form: URLSearchParams) {
  const { id: keyId, state } = await known(deps, form);
  if (state === 'revoked') throw refused('id', 'is revoked and cannot spend credits');
  const credits = numberIn(form, 'credits', { min: 1, max: CREDITS_MAX });
  if (credits === null) throw refused('credits', 'must not be empty');
  const ref = wantedText(form, 'ref', LABEL_CHARS_MAX);
  if (ref.startsWith(ISSUE_REF))
    throw refused('ref', `must not begin with ${ISSUE_REF}, which is reserved for new keys`);
  const granted = await moneyOf(deps).keys.grant({ keyId, credits, ref });
  if (granted.kind === 'unknown key') throw refused('id', 'is no key of this service');
  const to = `${PATH}?id=${keyId}`;
  if (granted.kind === 'granted before') {
    const { before } = granted;
    if (before.keyId !== keyId || before.credits !== credits)
      throw refused('ref', `was used before, for ${before.credits} credits of ${before.keyId}`);
    return { text: 'Nothing changed: this reference was already counted.', to };
  }
  await deps.actions.record({ action: 'credits granted', id: keyId, outcome: `${credits} credits` });
  return { text: `Granted ${many(credits, 'credit')}; the key now has ${count(granted.available)}.`, to };
}

async function revoke(deps: ConsoleDeps, form: URLSearchParams) {
  const { id } = await known(deps, form);
  await moneyOf(deps).keys.revoke(id);
  await deps.actions.record({ action: 'key revoked', id });
  return { text: `${id} is revoked.`, to: `${PATH}?id=${id}` };
}
