import type { Answer } from '../../calls/call.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { CSRF_FIELD } from '../sessions/session-cookie.ts';
import type { Website } from '../shell/site.ts';
import type { OwnerVisit } from './owner-sign-in.ts';

const PLACES = [
  { path: '/account', name: 'Overview' },
  { path: '/account/keys', name: 'Keys' },
  { path: '/account/apps', name: 'Apps' },
  { path: '/account/usage', name: 'Usage' },
  { path: '/account/billing', name: 'Billing' },
] as const;

type AccountPlace = (typeof PLACES)[number]['path'];

type AccountPageOptions = {
  site: Website;
  place: AccountPlace;
  title: string;
  csrf: string;
  main: Html;
  status?: number;
};

/** Builds a page of the account, below the menu of its pages. */
export function buildAccountPage({
  site,
  place,
  title,
  csrf,
  main,
  status = 200,
}: AccountPageOptions): Answer {
  return buildPage({
    site,
    title: place === '/account' ? title : `${title} · Account`,
    place: '/account',
    status,
    main: html`<div class="account-top">
<nav class="subnav" aria-label="Account">${PLACES.map(({ path, name }) => html`<a href="${path}"${path === place && html` aria-current="page"`}>${name}</a>`)}</nav>
<form method="post" action="/account/sign-out">${renderHiddenFields({ csrf })}<button class="button second small" type="submit">Sign out</button></form>
</div>
${main}`,
  });
}

/** Renders the hidden fields of a form, including the CSRF token of the session. */
export function renderHiddenFields({
  csrf,
  ...fields
}: Pick<OwnerVisit, 'csrf'> & Record<string, string>): Html[] {
  return Object.entries({ [CSRF_FIELD]: csrf, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

/** Renders a table that scrolls by itself where it is wider than the screen. */
export function renderTable(
  label: string,
  { columns, rows }: { columns: { title: string; isNumber?: true }[]; rows: (Html | string)[][] },
): Html {
  const renderNumberClass = (place: number): Html | null =>
    columns[place]?.isNumber ? html` class="number"` : null;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${columns.map(({ title }, place) => html`<th scope="col"${renderNumberClass(place)}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first ?? ''}</th>${rest.map((cell, place) => html`<td${renderNumberClass(place + 1)}>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** Renders an instant such as `2026-11-22 12:04 UTC`, for people and programs. */
export function renderTime(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
