import type { Balance, BalanceOf } from '../../../billing/balance.ts';
import type { UsageOfDays } from '../../../billing/ledger/usage-of-days.ts';
import type { Answer } from '../../calls/call.ts';
import { count } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { packCards } from '../payments/packs.ts';
import { reloadTrouble } from '../payments/reload-trouble.ts';
import { emptyState } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import type { OwnerVisit } from './account-door.ts';
import { accountPage, hidden } from './account-frame.ts';
import { type DayUsage, usageChart } from './usage-chart.ts';

export type OverviewDeps = {
  balanceOf: BalanceOf;
  usageOfDays: UsageOfDays;
  signTopUp(keyId: string): string;
  site: Website;
};

const DAYS = 30;
/** A longer forecast is meaningless. */
const FORECAST_DAYS_MAX = 3_650;

/** GET /account: credits, how long they last, and the use of a month. */
export function overview(deps: OverviewDeps): (visit: OwnerVisit) => Promise<Answer> {
  const { balanceOf, usageOfDays, signTopUp, site } = deps;
  return async ({ session, csrf }) => {
    const { account } = session;
    const [balance, days] = await Promise.all([balanceOf(account), usageOfDays(account, DAYS)]);
    const topUp = site.terms?.sells ? signTopUp(account) : null;
    const main = overviewMain({ balance, days, topUp, csrf });
    return accountPage({ site, place: '/account', title: 'Account', csrf, main });
  };
}

type Shown = { balance: Balance; days: DayUsage[]; topUp: string | null; csrf: string };

function overviewMain({ balance, days, topUp, csrf }: Shown): Html {
  const isUnused = days.every(({ credits }) => credits === 0);
  return html`<h1>Your account</h1>
<dl class="figures">
<div><dt>Credits left</dt><dd>${count(balance.credits)}</dd></div>
<div><dt>Daily use, 7-day average</dt><dd>${count(balance.burnRatePerDay)}</dd></div>
<div><dt>Time left at this rate</dt><dd>${forecast(balance)}</dd></div>
</dl>
${reloadTrouble(balance.autoReload)}
<section aria-labelledby="used">
<h2 id="used">Last ${days.length} days</h2>
${isUnused ? noUse() : usageChart(days)}
</section>
${topUp !== null && topUpSection(topUp)}
<section aria-labelledby="sessions"><h2 id="sessions">Where you are signed in</h2>
<form method="post" action="/account/sign-out">${hidden({ csrf, everywhere: '1' })}
<p>A browser stays signed in for a week. Sign out of all of them if one is no longer yours.</p>
<button class="button second" type="submit">Sign out everywhere</button></form></section>`;
}

function noUse(): Html {
  return emptyState({
    title: 'Nothing used yet',
    text: html`After your first call, this chart shows the credits of each day, and <a href="/account/usage">Usage</a> what every call cost.`,
    action: html`<p><a class="button second" href="/docs">Make a first call</a></p>`,
  });
}

function topUpSection(topUp: string): Html {
  return html`<section aria-labelledby="top-up">
<h2 id="top-up">Add credits</h2>
${packCards({ query: new URLSearchParams({ k: topUp }), verb: 'Add' })}
</section>`;
}

function forecast({ credits, burnRatePerDay }: Balance): string {
  if (burnRatePerDay === 0) return 'no recent use';
  const days = Math.floor(credits / burnRatePerDay);
  if (days > FORECAST_DAYS_MAX) return 'years';
  return days === 1 ? '1 day' : `${count(days)} days`;
}
