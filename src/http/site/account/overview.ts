import type { Balance, BalanceReader } from '../../../billing/balance.ts';
import type { DailyUsageReader } from '../../../billing/ledger/usage-of-days.ts';
import type { Answer } from '../../calls/call.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { renderPackCards } from '../payments/packs.ts';
import { renderReloadError } from '../payments/reload-trouble.ts';
import { renderEmptyState } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import type { OwnerVisit } from './account-door.ts';
import { buildAccountPage, renderHiddenFields } from './account-frame.ts';
import { type DayUsage, renderUsageChart } from './usage-chart.ts';

export type OverviewDeps = {
  balanceOf: BalanceReader;
  usageOfDays: DailyUsageReader;
  signTopUp(keyId: string): string;
  site: Website;
};

const DAYS = 30;
/** Maximum days of the forecast; a longer one is meaningless. */
const FORECAST_DAYS_MAX = 3_650;

/** Handles GET /account: the credits, a forecast of how long they last, and the use of a month. */
export function createOverviewHandler(deps: OverviewDeps): (visit: OwnerVisit) => Promise<Answer> {
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
