import type { CheckoutView } from '../../../billing/payments/checkouts.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { formatDollars, formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import {
  readReloadValues,
  renderReloadError,
  renderReloadFieldset,
  toReloadValues,
} from './reload-fieldset.ts';

/** The outcome of the last submission of the form. */
export type ReloadNotes = {
  saved?: boolean;
  typed?: URLSearchParams;
  problems?: FieldProblem[];
  cardMissing?: boolean;
};

type FulfilledCheckout = CheckoutView & { kind: 'fulfilled' };

type SuccessContext = {
  credentials: { session_id: string; n: string };
  serviceUrl: string;
  capUsdMax: number;
  notes: ReloadNotes;
};

export function renderSuccess(view: FulfilledCheckout, deps: SuccessContext): Html {
  const { credits, toppedUp, apiKey, hint } = view;
  const { credentials } = deps;
  return html`<section class="intro">
<h1>${toppedUp ? 'Credits added' : apiKey === null ? 'Thank you' : 'Here is your key'}</h1>
<p class="lead">${toppedUp ? html`${formatNumber(credits)} credits were added to <code>${hint}…</code>.` : html`It has ${formatNumber(credits)} credits.`}</p>
${toppedUp ? null : apiKey === null ? renderShownBefore(hint) : renderKey(apiKey, credentials)}
</section>
${renderNextSteps(apiKey, deps.serviceUrl)}
${renderReload(view, deps)}`;
}

function renderKey(apiKey: string, { session_id, n }: SuccessContext['credentials']): Html {
  return html`<div class="key-box">
<h2 id="key-name">API key</h2>
<p class="key-line"><code id="key" aria-labelledby="key-name" tabindex="0">${apiKey}</code> <button class="button" id="copy" type="button" hidden>Copy</button> <span id="copied" class="quiet" role="status"></span></p>
</div>
<p><strong>Store it somewhere safe now.</strong> This page shows it for a few minutes. After that nobody can look it up, not even us.</p>
${renderRecoveryCode(`${session_id}.${n}`)}
<form method="post" action="/account"><input type="hidden" name="key" value="${apiKey}"><button class="button second" type="submit">Open your account</button></form>`;
}

function renderShownBefore(hint: string): Html {
  return html`<p class="notice">The key <code>${hint}…</code> has already been shown and cannot be shown again.</p>`;
}

function renderNextSteps(apiKey: string | null, serviceUrl: string): Html {
  return html`<section aria-labelledby="next">
<h2 id="next">Use it</h2>
<pre><code>curl ${serviceUrl}/v1/search \\
  -H 'x-api-key: ${apiKey ?? 'YOUR_KEY'}' \\
  -H 'content-type: application/json' \\
  -d '{"query": "how do I rotate the logs"}'</code></pre>
<p>Your remaining credits are in every answer (<code>X-Credits-Remaining</code>) and on the <a href="/account">account page</a>.</p>
</section>`;
}

function renderReload(
  { autoReload }: FulfilledCheckout,
  { credentials, capUsdMax, notes }: SuccessContext,
): Html {
  if (autoReload === null)
    return html`<section aria-labelledby="reload"><h2 id="reload">Auto-reload</h2>
<p>No card of this purchase pays for the key. Its owner sets auto-reload on the <a href="/account/billing">account page</a>.</p></section>`;
  const { saved = false, cardMissing = false, typed, problems = [] } = notes;
  const shown = typed === undefined ? toReloadValues(autoReload) : readReloadValues(typed);
  return html`<section aria-labelledby="reload">
<h2 id="reload">Auto-reload ${autoReload.enabled ? html`<span class="badge on">on</span>` : html`<span class="badge">off</span>`}</h2>
${saved ? html`<p class="notice" role="status">Saved.</p>` : null}
${cardMissing ? html`<p class="problem" role="alert">There is no saved card to charge.</p>` : null}
${renderReloadError(autoReload)}
${
  autoReload.hasCard
    ? html`<p>Your card is saved for auto-reload. ${formatDollars(autoReload.spentThisMonthCents)} of ${formatDollars(autoReload.capCents)} spent this month (UTC).</p>
<form class="panel" method="post" action="/success">
<input type="hidden" name="session_id" value="${credentials.session_id}">
<input type="hidden" name="n" value="${credentials.n}">
${renderReloadFieldset({ shown, capUsdMax, problems })}
<button class="button second" type="submit">Save</button>
</form>`
    : html`<p>No card was saved with this purchase. To turn on auto-reload, <a href="/pricing?auto_reload=1">buy with auto-reload</a> next time.</p>`
}
</section>`;
}

/** Renders the code with which a buyer can recover an account. */
export function renderRecoveryCode(code: string): Html {
  return html`<div class="key-box quiet-box"><h2 id="code-name">Recovery code, if you lose the key</h2>
<p class="key-line"><code id="code" aria-labelledby="code-name" tabindex="0">${code}</code> <button class="copy" type="button" data-copy="code" aria-label="Copy the recovery code">Copy</button></p></div>`;
}
