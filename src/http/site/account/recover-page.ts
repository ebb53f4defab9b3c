import { toAllowanceAddress } from '../../../billing/ledger/networks.ts';
import type { AccountRecovery, RecoveredKey } from '../../../billing/payments/recovery.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { assertOwnPage } from '../../calls/own-page.ts';
import { parseForm } from '../form.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { renderRecoveryCode } from '../payments/success-view.ts';
import type { Website } from '../shell/site.ts';
import type { AccountDoor } from './account-door.ts';

export type RecoverDeps = {
  door: AccountDoor;
  recover: AccountRecovery;
  site: Website;
  publicUrls: readonly string[];
};

const REFERENCE_CHARS_MAX = 2_000;

/** Handles GET /account/recover: the form to recover an account whose key is lost. */
export function createProofFormHandler({ site }: Pick<RecoverDeps, 'site'>): () => Promise<Answer> {
  return async () => buildRecoverPage(site, { problem: null, status: 200 });
}

/** Handles POST /account/recover: gives the account a new key if the proof is valid. */
export function createRecoverHandler({
  door,
  recover,
  site,
  publicUrls,
}: RecoverDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    assertOwnPage(call.headers, publicUrls);
    const form = parseForm(call);
    const reference = (form.get('reference') ?? '').trim().slice(0, REFERENCE_CHARS_MAX);
    const network = toAllowanceAddress(call.address);
    const last4 = (form.get('last4') ?? '').trim();
    const recovered = await door.attempts.guess(network, () => recover({ reference, last4 }));
    if (recovered !== null) return buildRecoveredPage(site, recovered);
    return buildRecoverPage(site, {
      problem:
        'This does not prove a payment that created an account. Check both fields; each payment allows five attempts.',
      status: 403,
    });
  };
}

function buildRecoverPage(
  site: Website,
  { problem, status }: { problem: string | null; status: number },
): Answer {
  return buildPage({
    site,
    title: 'Recover your account',
    place: '/account',
    status,
    main: html`<section class="intro"><h1>Recover your account</h1>
<p class="lead">If you lost your key, prove that you paid for it. You get a new secret for it; the lost one stops working at once, and every browser is signed out.</p>
<form class="panel" method="post" action="/account/recover">
${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<div class="field"><label for="reference">Recovery code, or the address of the payment page</label>
<input id="reference" name="reference" required autocomplete="off" spellcheck="false" maxlength="${REFERENCE_CHARS_MAX}"${problem !== null && html` aria-invalid="true" aria-describedby="problem"`}></div>
<div class="field"><label for="last4">Last four digits of the card (not needed with a code)</label>
<input id="last4" name="last4" inputmode="numeric" autocomplete="off" maxlength="4" pattern="[0-9]{4}"></div>
<button class="button" type="submit">Recover</button></form></section>
${renderHelp()}`,
  });
}

function renderHelp(): Html {
  return html`<section aria-labelledby="where"><h2 id="where">Where to find it</h2>
<ul class="rules">
<li>The recovery code was shown beside your key after the payment.</li>
<li>Without it, look in your browser's history for the payment page: its address contains an id that begins with <code>cs_</code>. Paste the whole address, and give the last four digits of the card that paid.</li>
<li>Only the payment that created the account counts: anybody may add credits to a key. Receipt numbers and e-mail addresses prove nothing here.</li>
<li>A free key, or one that your operator made, has no payment: ask the operator.</li>
</ul></section>`;
}

function buildRecoveredPage(site: Website, { apiKey, code }: RecoveredKey): Answer {
  return buildPage({
    site,
    title: 'Account recovered',
    place: '/account',
    main: html`<section class="intro"><h1>Your account is back</h1>
<div class="key-box"><h2 id="key-name">New key</h2>
<p class="key-line"><code id="key" aria-labelledby="key-name" tabindex="0">${apiKey}</code> <button class="copy" type="button" data-copy="key" aria-label="Copy the key">Copy</button></p></div>
${renderRecoveryCode(code)}
<p>Store both now: they cannot be shown again. The lost key no longer works.</p>
<form method="post" action="/account"><input type="hidden" name="key" value="${apiKey}"><button class="button" type="submit">Open your account</button></form></section>`,
  });
}
