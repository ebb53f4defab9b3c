import { DAY_MS } from '../../../platform/clock.ts';
import { createValidationFailure } from '../../calls/json-body.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import { CSRF_FIELD } from '../../site/sessions/session-cookie.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Renders the hidden fields of a form, the CSRF token of its session first. */
export function renderHiddenFields({ csrf, ...fields }: { csrf: string } & Record<string, string>): Html {
  const all = Object.entries({ [CSRF_FIELD]: csrf, ...fields });
  return html`${all.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

type Button = {
  /** The path that the form is sent to, and the action that it requests. */
  path: string;
  act: string;
  csrf: string;
  label: string;
  /** The object of the action, for those who do not see the row that contains the button. */
  about?: string;
  fields?: Record<string, string>;
};

/** Renders a form with a single button. */
export function renderActionButton({ path, act, csrf, label, about, fields = {} }: Button): Html {
  return html`<form method="post" action="${path}">${renderHiddenFields({ csrf, do: act, ...fields })}<button class="button second small" type="submit">${label}${about === undefined ? null : html`<span class="hidden"> ${about}</span>`}</button></form>`;
}

/** Renders a form for something that cannot be undone. Its button appears after a first click. */
export function renderConfirmedButton({ question, ...button }: Button & { question: string }): Html {
  const { label, about } = button;
  return html`<details class="confirm"><summary>${label}${about === undefined ? null : html`<span class="hidden"> ${about}</span>`}…</summary><p>${question}</p>${renderActionButton(button)}</details>`;
}

type Field = {
  name: string;
  label: string;
  value?: string | null;
  hint?: string;
  type?: 'text' | 'url' | 'number';
  required?: boolean;
  /** The element id; needed if a page has several fields of one name. */
  id?: string;
  maxlength?: number;
};

/** Renders a labelled field of one line. */
export function renderField({
  name,
  label,
  value,
  hint,
  type = 'text',
  required,
  id = name,
  maxlength = 500,
}: Field): Html {
  const described = hint === undefined ? null : html` aria-describedby="${id}-hint"`;
  return html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="${type === 'number' ? 'text' : type}"${type === 'number' && html` inputmode="numeric"`} value="${value ?? ''}" maxlength="${maxlength}" autocomplete="off" spellcheck="false"${required === true && html` required`}${described}>
${hint === undefined ? null : html`<p class="quiet hint" id="${id}-hint">${hint}</p>`}</div>`;
}

/** Renders a labelled choice of one; `options`: the names by value. */
export function renderSelect({
  name,
  label,
  options,
  value,
}: {
  name: string;
  label: string;
  options: Record<string, string>;
  value: string | null;
}): Html {
  const choices = Object.entries(options).map(
    ([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`,
  );
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${choices}</select></div>`;
}

/** Renders a checkbox. */
export function renderCheckbox({
  name,
  label,
  checked,
}: {
  name: string;
  label: string;
  checked: boolean;
}): Html {
  return html`<label class="switch"><input type="checkbox" name="${name}" value="1"${checked && html` checked`}> ${label}</label>`;
}

type Column = { title: string; isNumber?: true };

/** Renders a table that scrolls by itself where it is wider than the screen. Without rows, `empty` is shown instead. */
export function renderTable(parts: {
  label: string;
  columns: Column[];
  rows: Part[][];
  empty: string;
}): Html {
  const { label, columns, rows, empty } = parts;
  if (rows.length === 0) return html`<div class="empty"><p>${empty}</p></div>`;
  const renderNumberClass = (place: number): Part =>
    columns[place]?.isNumber === true && html` class="number"`;
  const renderCell = (part: Part, place: number): Html =>
    place === 0 ? html`<th scope="row">${part}</th>` : html`<td${renderNumberClass(place)}>${part}</td>`;
  return html`<div class="scroll console-table" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${columns.map(({ title }, place) => html`<th scope="col"${renderNumberClass(place)}>${title}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map(renderCell)}</tr>\n`)}</tbody>
</table></div>`;
}

/** Renders large figures with their names. */
export function renderFigures(all: { name: string; value: Part; note?: Part }[]): Html {
  return html`<dl class="figures">${all.map(({ name, value, note }) => html`<div><dt>${name}</dt><dd>${value}</dd>${note === undefined ? null : html`<dd class="note">${note}</dd>`}</div>`)}</dl>`;
}

/** Renders a state in a word; `mood` colours it. */
export function renderBadge(text: string, mood: 'good' | 'warn' | 'alarm' | 'on' | 'plain' = 'plain'): Html {
  return html`<span class="badge ${mood}">${text}</span>`;
}

/** Renders an instant in UTC, to the minute. */
export function renderTime(at: number | null): Html | string {
  if (at === null) return '–';
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

/** `42 s`, `17 min`, `5 h`, `12 d`. */
export function formatDuration(ms: number): string {
  const [unitMs, unit] =
    ms < 2 * MINUTE_MS
      ? [SECOND_MS, 's']
      : ms < 2 * HOUR_MS
        ? [MINUTE_MS, 'min']
        : ms < 2 * DAY_MS
          ? [HOUR_MS, 'h']
          : [DAY_MS, 'd'];
  return `${Math.max(0, Math.round(ms / unitMs))} ${unit}`;
}

/** `1 page`, `1,200 pages`. */
export function formatCount(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
}

/** Formats bytes as kilobytes or megabytes. */
export function formatBytes(bytes: number): string {
  const [divisor, unit] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  const shown = bytes / divisor;
  return `${shown.toLocaleString('en', { maximumFractionDigits: shown < 100 ? 1 : 0 })} ${unit}`;
}

/** Formats milliseconds; a dash if unknown. */
export function formatMilliseconds(ms: number | null): string {
  return ms === null ? '–' : `${Math.round(ms).toLocaleString('en')} ms`;
}

/** Formats a share from 0 to 1 as a percentage; a dash if unknown. */
export function formatPercent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(share > 0.99 && share < 1 ? 1 : 0)} %`;
}

/** Reads the trimmed text of a field; null if it is empty. Throws `Failure('validation_error')`. */
export function readFormText(form: URLSearchParams, name: string, charsMax = 500): string | null {
  const text = (form.get(name) ?? '').trim();
  if (text.length > charsMax) throw createFieldFailure(name, `must have at most ${charsMax} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw createFieldFailure(name, 'must be one line of text');
  return text === '' ? null : text;
}

/** Reads the text of a field that must not be empty. Throws `Failure('validation_error')`. */
export function readRequiredText(form: URLSearchParams, name: string, charsMax?: number): string {
  const text = readFormText(form, name, charsMax);
  if (text === null) throw createFieldFailure(name, 'must not be empty');
  return text;
}

/** Reads a whole number; null if the field is empty. Throws `Failure('validation_error')`. */
export function readFormNumber(
  form: URLSearchParams,
  name: string,
  { min, max }: { min: number; max: number },
): number | null {
  const text = readFormText(form, name);
  if (text === null) return null;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw createFieldFailure(name, `must be a whole number from ${min} to ${max.toLocaleString('en')}`);
}

/** Returns a `Failure('validation_error')` about one field. */
export function createFieldFailure(field: string, message: string): Error {
  return createValidationFailure([{ field, message }]);
}
