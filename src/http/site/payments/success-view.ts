import type { CheckoutView } from '../../../billing/payments/checkout-types.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { count, dollars } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { reloadFieldset, shownReload, typedReload } from './reload-fieldset.ts';
import { reloadTrouble } from './reload-trouble.ts';

/** The outcome of the last submission of the form. */
export type ReloadNotes = {
  saved?: boolean;
  typed?: URLSearchParams;
  problems?: FieldProblem[];
  cardMissing?: boolean;
};

type Fulfilled = CheckoutView & { kind: 'fulfilled' };

type Surroundings = {
  credentials: { session_id: string; n: string };
  serviceUrl: string;
  capUsdMax: number;
  notes: ReloadNotes;
};

export function successMain(view: Fulfilled, deps: Surroundings): Html {
  const { credits, toppedUp, apiKey, hint } = view;
  const { credentials } = deps;
  return html`<section class="intro">
<h1>${toppedUp ? 'Credits added' : apiKey === null ? 'Thank you' : 'Here is your key'}</h1>
<p class="lead">${toppedUp ? html`${count(credits)} credits were added to <code>${hint}…</code>.` : html`It has ${count(credits)} credits.`}</p>
${toppedUp ? null : apiKey === null ? shownBefore(hint) : keyBox(apiKey, credentials)}
</section>
${nextSteps(apiKey, deps.serviceUrl)}
${reloadSection(view, deps)}`;
}

function keyBox(apiKey: string, { session_id, n }: Surroundings['credentials']): Html {
  return html`<div class="key-box">
<h2 id="key-name">API key</h2>
<p class="key-line"><code id="key" aria-labelledby="key-name" tabindex="0">${apiKey}</code> <button class="button" id="copy" type="button" hidden>Copy</button> <span id="copied" class="quiet" role="status"></span></p>
</div>
<p><strong>Store it somewhere safe now.</strong> This page shows it for a few minutes. After that nobody can look it up, not even us.</p>
${codeBox(`${session_id}.${n}`)}
<form method="post" action="/account"><input type="hidden" name="key" value="${apiKey}"><button class="button second" type="submit">Open your account</button></form>`;
}

function shownBefore(hint: string): Html {
  return html`<p class="notice">The key <code>${hint}…</code> has already been shown and cannot be shown again.</p>`;
}

function nextSteps(apiKey: string | null, serviceUrl: string): Html {
  return html`<section aria-labelledby="next">
<h2 id="next">Use it</h2>
<pre><code>curl ${serviceUrl}/v1/search \\
  -H 'x-api-key: ${apiKey ?? 'YOUR_KEY'}' \\
  -H 'content-type: application/json' \\
  -d '{"query": "how do I rotate the logs"}'</code></pre>
<p>Your remaining credits are in every answer (<code>X-Credits-Remaining</code>) and on the <a href="/account">account page</a>.</p>
</section>`;
}

function reloadSection({ autoReload }: Fulfilled, { credentials, capUsdMax, notes }: Surroundings): Html {
  if (autoReload === null)
    return html`<section aria-labelledby="reload"><h2 id="reload">Auto-reload</h2>
<p>No card of this purchase pays for the key. Its owner sets auto-reload on the <a href="/account/billing">account page</a>.</p></section>`;
  const { saved = false, cardMissing = false, typed, problems = [] } = notes;
  const shown = typed === undefined ? shownReload(autoReload) : typedReload(typed);
  return html`<section aria-labelledby="reload">
<h2 id="reload">Auto-reload ${autoReload.enabled ? html`<span class="badge on">on</span>` : html`<span class="badge">off</span>`}</h2>
${saved ? html`<p class="notice" role="status">Saved.</p>` : null}
${cardMissing ? html`<p class="problem" role="alert">There is no saved card to charge.</p>` : null}
${reloadTrouble(autoReload)}
${
  autoReload.hasCard
    ? html`<p>Your card is saved for auto-reload. ${dollars(autoReload.spentThisMonthCents)} of ${dollars(autoReload.capCents)} spent this month (UTC).</p>
<form class="panel" method="post" action="/success">
<input type="hidden" name="session_id" value="${credentials.session_id}">
<input type="hidden" name="n" value="${credentials.n}">
${reloadFieldset({ shown, capUsdMax, problems })}
<button class="button second" type="submit">Save</button>
</form>`
    : html`<p>No card was saved with this purchase. To turn on auto-reload, <a href="/pricing?auto_reload=1">buy with auto-reload</a> next time.</p>`
}
</section>`;
}

/** The code with which a buyer gets an account back. */
export function codeBox(code: string): Html {
  return html`<div class="key-box quiet-box"><h2 id="code-name">Recovery code, if you lose the key</h2>
<p class="key-line"><code id="code" aria-labelledby="code-name" tabindex="0">${code}</code> <button class="copy" type="button" data-copy="code" aria-label="Copy the recovery code">Copy</button></p></div>`;
}
