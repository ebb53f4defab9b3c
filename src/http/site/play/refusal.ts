import { FREE_KEY_CREDITS } from '../../../billing/ledger/prices.ts';
import type { Failure } from '../../../contract/errors.ts';
import type { Terms } from '../../calls/terms.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';

const TITLES: Partial<Record<Failure['code'], string>> = {
  keyless_limit: 'You have used today’s free requests',
  invalid_api_key: 'Every call needs a key here',
  recall_unavailable: 'Search is unavailable right now',
  fetch_failed: 'This page could not be read',
  url_not_allowed: 'This address cannot be read',
  validation_error: 'Please check your input',
  overloaded: 'Too busy right now',
};

/** Renders the reason why a call was refused, and the next steps. */
export function renderRefusal(failure: Failure, terms: Terms | null): Html {
  const { code, message, fields } = failure;
  const isAboutKeys = code === 'keyless_limit' || code === 'invalid_api_key';
  return html`<section class="refusal" role="alert">
<h2>${TITLES[code] ?? 'That did not work'}</h2>
${isAboutKeys ? renderNextSteps(code, terms) : fields.length === 0 ? html`<p>${message}</p>` : html`<ul>${fields.map((field) => html`<li>Your input ${field.message}.</li>`)}</ul>`}
</section>`;
}

function renderNextSteps(code: Failure['code'], terms: Terms | null): Html {
  return html`<p>${code === 'keyless_limit' ? 'They reset at midnight UTC.' : 'Call it from a program with your key.'}${terms?.freeKeys || terms?.sells ? ' To continue now:' : null}</p>
<div class="actions">${terms?.freeKeys ? renderFreeKeyButton() : null}${terms?.sells ? html`<a class="button second" href="/pricing">See the packs</a>` : null}</div>`;
}

/** Renders the button that claims the free key of the visitor's network. */
export function renderFreeKeyButton(): Html {
  return html`<form method="post" action="/free-key"><button class="button" type="submit">Get a free key</button> <span class="quiet">${formatNumber(FREE_KEY_CREDITS)} credits, no sign-up</span></form>`;
}
