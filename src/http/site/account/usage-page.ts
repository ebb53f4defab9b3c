import type { KeyRecord, Keys } from '../../../billing/keys/keys.ts';
import type { AccountUsage, ChargeLine, UsagePart } from '../../../billing/ledger/account-usage.ts';
import type { DailyUsageReader } from '../../../billing/ledger/usage-of-days.ts';
import type { Answer } from '../../calls/call.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { renderEmptyState } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import type { OwnerVisit } from './account-door.ts';
import { buildAccountPage, renderTable, renderTime } from './account-frame.ts';
import { renderUsageChart } from './usage-chart.ts';

export type UsagePageDeps = {
  keys: Pick<Keys, 'ofAccount'>;
  usageOfDays: DailyUsageReader;
  accountUsage: AccountUsage;
  site: Website;
};

const DAYS = 30;
const CHARGES_SHOWN = 50;

/** Handles GET /account/usage: the use by day, route and key, and the cost of the last calls. */
export function createUsagePageHandler(deps: UsagePageDeps): (visit: OwnerVisit) => Promise<Answer> {
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
