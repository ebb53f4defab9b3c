import type { Balance, BalanceReader } from '../../../billing/balance.ts';
import type { KeyRecord, Keys } from '../../../billing/keys/keys.ts';
import type {
  AccountUsage,
  ChargeLine,
  DailyUsageReader,
  UsagePart,
} from '../../../billing/ledger/account-usage.ts';
import { toAllowanceAddress } from '../../../billing/ledger/address-prefixes.ts';
import type { AutoReload, AutoReloads, Cards } from '../../../billing/payments/auto-reload.ts';
import type { AccountRecovery, RecoveredKey } from '../../../billing/payments/recovery.ts';
import type { Sales } from '../../../billing/payments/sales.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call, FreeRoute } from '../../calls/call.ts';
import { assertOwnPage } from '../../calls/operator.ts';
import { readReloadFields } from '../../v1/reload-fields.ts';
import { formatNumber } from '../amounts.ts';
import { parseForm } from '../form.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import {
  readReloadValues,
  renderPackCards,
  renderReloadError,
  toReloadValues,
} from '../payments/reload-fieldset.ts';
import { renderRecoveryCode } from '../payments/success-view.ts';
import { renderEmptyState } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import { buildAccountPage, renderHiddenFields, renderTable, renderTime } from './account-frame.ts';
import { type AppsPagesDeps, createAppsPages } from './apps-pages.ts';
import { type BillingNotes, computeCapUsdMax, renderBilling, renderOwnReceipt } from './billing-view.ts';
import { createKeysPages, type KeysPagesDeps } from './keys-pages.ts';
import {
  createOwnerSignIn,
  type OwnerSignIn,
  type OwnerSignInDeps,
  type OwnerVisit,
  redirect,
} from './owner-sign-in.ts';
import { type DayUsage, renderUsageChart } from './usage-chart.ts';

const SALES_SHOWN = 50;
const NOTES = ['saved', 'removed'] as const;

const CHARGES_SHOWN = 50;

const REFERENCE_CHARS_MAX = 2_000;

const DAYS = 30;
/** Maximum days of the forecast; a longer one is meaningless. */
const FORECAST_DAYS_MAX = 3_650;

/** Dependencies of the pages of an account. */
export type AccountDeps = OwnerSignInDeps &
  OverviewDeps &
  Omit<UsagePageDeps, 'keys'> &
  Omit<KeysPagesDeps, 'signIn' | 'keys'> &
  Omit<AppsPagesDeps, 'signIn'> &
  Omit<BillingPageDeps, 'signIn'> &
  Omit<RecoverDeps, 'signIn'> & { keys: Keys };

/** The name of a page or of the action of a form. */
export type AccountHandler =
  | 'overview'
  | 'enter'
  | 'leave'
  | 'usage'
  | 'keys'
  | 'addKey'
  | 'key'
  | 'changeKey'
  | 'rotateKey'
  | 'endOldSecret'
  | 'revokeKey'
  | 'apps'
  | 'endApp'
  | 'billing'
  | 'autoReload'
  | 'removeCard'
  | 'receipt'
  | 'askForProof'
  | 'recover';

/** Creates the handlers of all pages of an account and of their forms, behind one sign-in. */
export function createAccountPages(deps: AccountDeps): Record<AccountHandler, FreeRoute['handle']> {
  const signIn = createOwnerSignIn(deps);
  const keys = createKeysPages({ ...deps, signIn });
  const billing = createBillingPages({ ...deps, signIn });
  const apps = createAppsPages({ ...deps, signIn });
  return {
    overview: signIn.page(createOverviewHandler(deps)),
    enter: signIn.enter,
    leave: signIn.leave,
    usage: signIn.page(createUsagePageHandler(deps)),
    keys: keys.list,
    addKey: keys.add,
    key: keys.show,
    changeKey: keys.change,
    rotateKey: keys.rotate,
    endOldSecret: keys.endOld,
    revokeKey: keys.revoke,
    apps: apps.list,
    endApp: apps.end,
    billing: billing.show,
    autoReload: billing.autoReload,
    removeCard: billing.removeCard,
    receipt: billing.receipt,
    askForProof: createProofFormHandler(deps),
    recover: createRecoverHandler({ ...deps, signIn }),
  };
}

type OverviewDeps = {
  balanceOf: BalanceReader;
  usageOfDays: DailyUsageReader;
  signTopUp(keyId: string): string;
  site: Website;
};

/** Handles GET /account: the credits, a forecast of how long they last, and the use of a month. */
function createOverviewHandler(deps: OverviewDeps): (visit: OwnerVisit) => Promise<Answer> {
  const { balanceOf, usageOfDays, signTopUp, site } = deps;
  return async ({ session, csrf }) => {
    const { account } = session;
    const [balance, days] = await Promise.all([balanceOf(account), usageOfDays(account, DAYS)]);
    const topUp = site.terms?.sells ? signTopUp(account) : null;
    const main = renderOverview({ balance, days, topUp, csrf });
    return buildAccountPage({ site, place: '/account', title: 'Account', csrf, main });
  };
}

type OverviewState = { balance: Balance; days: DayUsage[]; topUp: string | null; csrf: string };

function renderOverview({ balance, days, topUp, csrf }: OverviewState): Html {
  const isUnused = days.every(({ credits }) => credits === 0);
  return html`<h1>Your account</h1>
<dl class="figures">
<div><dt>Credits left</dt><dd>${formatNumber(balance.credits)}</dd></div>
<div><dt>Daily use, 7-day average</dt><dd>${formatNumber(balance.burnRatePerDay)}</dd></div>
<div><dt>Time left at this rate</dt><dd>${formatForecast(balance)}</dd></div>
</dl>
${renderReloadError(balance.autoReload)}
<section aria-labelledby="used">
<h2 id="used">Last ${days.length} days</h2>
${isUnused ? renderNoUse() : renderUsageChart(days)}
</section>
${topUp !== null && renderTopUp(topUp)}
<section aria-labelledby="sessions"><h2 id="sessions">Where you are signed in</h2>
<form method="post" action="/account/sign-out">${renderHiddenFields({ csrf, everywhere: '1' })}
<p>A browser stays signed in for a week. Sign out of all of them if one is no longer yours.</p>
<button class="button second" type="submit">Sign out everywhere</button></form></section>`;
}

function renderNoUse(): Html {
  return renderEmptyState({
    title: 'Nothing used yet',
    text: html`After your first call, this chart shows the credits of each day, and <a href="/account/usage">Usage</a> what every call cost.`,
    action: html`<p><a class="button second" href="/docs">Make a first call</a></p>`,
  });
}

function renderTopUp(topUp: string): Html {
  return html`<section aria-labelledby="top-up">
<h2 id="top-up">Add credits</h2>
${renderPackCards({ query: new URLSearchParams({ k: topUp }), verb: 'Add' })}
</section>`;
}

function formatForecast({ credits, burnRatePerDay }: Balance): string {
  if (burnRatePerDay === 0) return 'no recent use';
  const days = Math.floor(credits / burnRatePerDay);
  if (days > FORECAST_DAYS_MAX) return 'years';
  return days === 1 ? '1 day' : `${formatNumber(days)} days`;
}

type RecoverDeps = {
  signIn: OwnerSignIn;
  recover: AccountRecovery;
  site: Website;
  publicUrls: readonly string[];
};

/** Handles GET /account/recover: the form to recover an account whose key is lost. */
function createProofFormHandler({ site }: Pick<RecoverDeps, 'site'>): () => Promise<Answer> {
  return async () => buildRecoverPage(site, { problem: null, status: 200 });
}

/** Handles POST /account/recover: gives the account a new key if the proof is valid. */
function createRecoverHandler({
  signIn,
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
    const recovered = await signIn.attempts.guess(network, () => recover({ reference, last4 }));
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

type UsagePageDeps = {
  keys: Pick<Keys, 'ofAccount'>;
  usageOfDays: DailyUsageReader;
  accountUsage: AccountUsage;
  site: Website;
};

/** Handles GET /account/usage: the use by day, route and key, and the cost of the last calls. */
function createUsagePageHandler(deps: UsagePageDeps): (visit: OwnerVisit) => Promise<Answer> {
  const { keys, usageOfDays, accountUsage, site } = deps;
  return async ({ session: { account }, csrf }) => {
    const [records, days, parts, charges] = await Promise.all([
      keys.ofAccount(account),
      usageOfDays(account, DAYS),
      accountUsage.parts(account, DAYS),
      accountUsage.lastCharges(account, CHARGES_SHOWN),
    ]);
    const nameOf = createNameRenderer(records);
    const main = html`<h1>Usage</h1>
${renderUsageChart(days)}
${renderByRoute(parts, nameOf)}
${renderLastCharges(charges, nameOf)}`;
    return buildAccountPage({ site, place: '/account/usage', title: 'Usage', csrf, main });
  };
}

type RenderName = (keyId: string) => Html;

function createNameRenderer(records: KeyRecord[]): RenderName {
  const byId = new Map(records.map((record) => [record.id, record]));
  return (keyId) => {
    const record = byId.get(keyId);
    if (record === undefined) return html`<code>${keyId}</code>`;
    return record.label === null ? html`<code>${record.hint}…</code>` : html`${record.label}`;
  };
}

function renderByRoute(parts: UsagePart[], nameOf: RenderName): Html {
  return html`<section aria-labelledby="routes"><h2 id="routes">By endpoint and key, last ${DAYS} days</h2>
${
  parts.length === 0
    ? renderEmptyState({
        title: 'Nothing used yet',
        text: html`Here you will see which endpoint and which key used how many credits.`,
      })
    : renderTable('Use by endpoint and key', {
        columns: [
          ...[{ title: 'Endpoint' }, { title: 'Key' }],
          ...[{ title: 'Calls', isNumber: true } as const, { title: 'Credits', isNumber: true } as const],
        ],
        rows: parts.map(({ endpoint, keyId, calls, credits }) => [
          renderEndpoint(endpoint),
          nameOf(keyId),
          calls === 0 ? '–' : formatNumber(calls),
          formatNumber(credits),
        ]),
      })
}</section>`;
}

function renderLastCharges(charges: ChargeLine[], nameOf: RenderName): Html {
  return html`<section aria-labelledby="charges"><h2 id="charges">What the last calls cost</h2>
${
  charges.length === 0
    ? renderEmptyState({
        title: 'No charges to show',
        text: html`Each charged call appears here with its request id, which its answer has too.`,
      })
    : renderTable('The last charges', {
        columns: [
          ...[{ title: 'Request' }, { title: 'Time' }, { title: 'Endpoint' }, { title: 'Key' }],
          { title: 'Credits', isNumber: true },
        ],
        rows: charges.map(({ requestId, at, endpoint, keyId, credits, refunded }) => [
          html`<code>${requestId}</code>`,
          renderTime(at),
          renderEndpoint(endpoint),
          nameOf(keyId),
          html`${formatNumber(credits)}${refunded && html` <span class="badge">refunded</span>`}`,
        ]),
      })
}
<p class="quiet">Failed calls cost nothing and do not appear. Older charges are summed up by day.</p></section>`;
}

function renderEndpoint(endpoint: string | null): Html | string {
  return endpoint === null ? 'earlier calls' : html`<code>${endpoint}</code>`;
}

type BillingPageDeps = {
  signIn: OwnerSignIn;
  balanceOf: BalanceReader;
  autoReloads: Pick<AutoReloads, 'configure'>;
  cards: Cards;
  sales: Sales;
  signTopUp(keyId: string): string;
  site: Website;
};

type Handler = (call: Call) => Promise<Answer>;

/** Creates the handlers of the billing page and of its forms. */
function createBillingPages(
  deps: BillingPageDeps,
): Record<'show' | 'receipt' | 'autoReload' | 'removeCard', Handler> {
  const { signIn, cards, sales, site } = deps;
  return {
    show: signIn.page((visit, { query }) => {
      const done = NOTES.find((note) => query.get('done') === note) ?? null;
      return buildBillingPage(deps, visit, { done });
    }),
    receipt: signIn.page(async ({ session, csrf }, { params }) => {
      const id = params.id ?? '';
      const url = await sales.receiptOf(session.account, id);
      if (url !== null) return redirect(url);
      const sale = (await sales.of(session.account, SALES_SHOWN)).find((one) => one.id === id);
      if (sale === undefined) throw new Failure('not_found', 'There is no receipt for this payment.');
      return buildAccountPage({
        site,
        place: '/account/billing',
        title: 'Receipt',
        csrf,
        main: renderOwnReceipt(sale),
      });
    }),
    autoReload: signIn.action((visit) => saveReload(deps, visit)),
    removeCard: signIn.action(async (visit) => {
      try {
        await cards.remove(visit.session.account);
      } catch (error) {
        if (error instanceof Failure) throw error;
        return buildBillingPage(deps, visit, { done: null, cardKept: true, status: 503 });
      }
      return redirect('/account/billing?done=removed');
    }),
  };
}

async function buildBillingPage(
  deps: BillingPageDeps,
  { session: { account }, csrf }: OwnerVisit,
  notes: BillingNotes & { status?: number },
): Promise<Answer> {
  const { balanceOf, sales, signTopUp, site } = deps;
  const [{ autoReload }, sold] = await Promise.all([balanceOf(account), sales.of(account, SALES_SHOWN)]);
  const main = renderBilling({
    autoReload,
    sold,
    csrf,
    notes,
    sells: site.terms?.sells ?? false,
    shown: notes.typed === undefined ? toReloadValues(autoReload) : readReloadValues(notes.typed),
    topUp: signTopUp(account),
  });
  return buildAccountPage({
    site,
    place: '/account/billing',
    title: 'Billing',
    csrf,
    main,
    status: notes.status ?? 200,
  });
}

/** Saves the owner's auto-reload settings. */
async function saveReload(
  deps: BillingPageDeps,
  visit: OwnerVisit & { form: URLSearchParams },
): Promise<Answer> {
  const { form, session } = visit;
  const { capCents }: AutoReload = (await deps.balanceOf(session.account)).autoReload;
  const read = readReloadFields(form, { capUsdMax: computeCapUsdMax(capCents) });
  if (!read.ok)
    return buildBillingPage(deps, visit, { done: null, typed: form, problems: read.problems, status: 422 });
  try {
    const change = { enabled: read.fields.enabled, ...read.fields.terms };
    await deps.autoReloads.configure(session.account, change, { by: 'owner' });
    return redirect('/account/billing?done=saved');
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'no_payment_method')) throw error;
    return buildBillingPage(deps, visit, { done: null, typed: form, cardMissing: true, status: 409 });
  }
}
