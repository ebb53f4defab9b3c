import type { Balance } from '../../../billing/balance.ts';
import { CENTS_PER_USD, RELOAD } from '../../../billing/ledger/prices.ts';
import { termsInWords } from '../../../billing/limits/terms-in-words.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { count, dollars } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { packCards } from '../payments/packs.ts';
import { type ReloadShown, reloadFieldset } from '../payments/reload-fieldset.ts';
import { reloadTrouble } from '../payments/reload-trouble.ts';
import { type DayUsage, usageChart } from './usage-chart.ts';

export type AccountShown = {
  apiKey: string;
  balance: Balance;
  days: DayUsage[];
  shown: ReloadShown;
  /** The signed reference with which a link adds credits to this key. */
  topUp: string;
  problems: FieldProblem[];
  saved: boolean;
  /** Auto-reload was requested without a saved card. */
  cardMissing: boolean;
  /** Whether credits are for sale. */
  sells: boolean;
};

/** A longer forecast is meaningless. */
const FORECAST_DAYS_MAX = 3_650;

/** The highest cap this page accepts. A higher one, set on the page after a payment, may be kept or lowered here. */
export function pageCapUsdMax(capCents: number): number {
  return Math.max(RELOAD.capUsdMax, capCents / CENTS_PER_USD);
}

export function accountMain(account: AccountShown): Html {
  const { balance, days, topUp } = account;
  return html`<h1>Your key <code>${hintOf(account.apiKey)}</code></h1>
<dl class="figures">
<div><dt>Credits left</dt><dd>${count(balance.credits)}</dd></div>
<div><dt>Daily use, 7-day average</dt><dd>${count(balance.burnRatePerDay)}</dd></div>
<div><dt>Time left at this rate</dt><dd>${forecast(balance)}</dd></div>
</dl>
${limitsLine(balance.terms)}
<section aria-labelledby="used">
<h2 id="used">Last ${days.length} days</h2>
${usageChart(days)}
</section>
${(account.sells || balance.autoReload.hasCard) && reloadSection(account)}
${account.sells && topUpSection(topUp)}`;
}

function topUpSection(topUp: string): Html {
  return html`<section aria-labelledby="top-up">
<h2 id="top-up">Add credits to this key</h2>
${packCards({ query: new URLSearchParams({ k: topUp }), verb: 'Add' })}
</section>`;
}

/** Enough for owners to tell their keys apart, too little for anybody else. */
function hintOf(apiKey: string): string {
  return `${apiKey.slice(0, 8)}…`;
}

function limitsLine(terms: Balance['terms']): Html | null {
  if (terms === null) return null;
  const today = terms.callsToday === null ? '' : ` ${count(terms.callsToday)} made today (UTC).`;
  return html`<p class="quiet">Limits of this key: ${termsInWords(terms)}.${today}</p>`;
}

function forecast({ credits, burnRatePerDay }: Balance): string {
  if (burnRatePerDay === 0) return 'no recent use';
  const days = Math.floor(credits / burnRatePerDay);
  if (days > FORECAST_DAYS_MAX) return 'years';
  return days === 1 ? '1 day' : `${count(days)} days`;
}

function reloadSection({ apiKey, balance, shown, topUp, problems, saved, cardMissing }: AccountShown): Html {
  const { autoReload } = balance;
  const withCard = `/pricing?${new URLSearchParams({ k: topUp, auto_reload: '1' })}`;
  return html`<section aria-labelledby="reload">
<h2 id="reload">Auto-reload ${autoReload.enabled ? html`<span class="badge on">on</span>` : html`<span class="badge">off</span>`}</h2>
${saved ? html`<p class="notice" role="status">Saved.</p>` : null}
${cardMissing ? html`<p class="problem" role="alert">There is no saved card to charge.</p>` : null}
${reloadTrouble(autoReload)}
${
  autoReload.hasCard
    ? html`<p class="quiet">${dollars(autoReload.spentThisMonthCents)} of ${dollars(autoReload.capCents)} spent this month (UTC).</p>`
    : html`<p>To save a card, buy a pack with auto-reload: <a href="${withCard}">add credits with auto-reload</a>.</p>`
}
<form class="panel" method="post" action="/account/auto-reload">
<input type="hidden" name="key" value="${apiKey}">
${reloadFieldset({ shown, capUsdMax: pageCapUsdMax(autoReload.capCents), problems })}
<button class="button second" type="submit">Save</button>
</form>
</section>`;
}
