import { CENTS_PER_USD, RELOAD } from '../../../billing/ledger/prices.ts';
import type { AutoReload } from '../../../billing/payments/auto-reload.ts';
import type { Sale } from '../../../billing/payments/sales.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { formatDollars, formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import {
  describeReloadError,
  formatPackName,
  type ReloadValues,
  renderPackCards,
  renderReloadError,
  renderReloadFieldset,
} from '../payments/reload-fieldset.ts';
import { renderEmptyState } from '../shell/parts.ts';
import { renderHiddenFields, renderTable, renderTime } from './account-frame.ts';

/** The outcome of the last form. */
export type BillingNotes = {
  done: 'saved' | 'removed' | null;
  typed?: URLSearchParams;
  problems?: FieldProblem[];
  /** Auto-reload was requested without a saved card. */
  cardMissing?: boolean;
  /** The card is still saved because the payment provider did not answer. */
  cardKept?: boolean;
};

type BillingState = {
  autoReload: AutoReload;
  sold: Sale[];
  shown: ReloadValues;
  /** The signed reference with which a link adds credits to the account. */
  topUp: string;
  csrf: string;
  notes: BillingNotes;
  /** True if credits are for sale. */
  sells: boolean;
};

/** Computes the highest cap that this page accepts. A higher one, set on the page after a payment, may be kept or lowered here. */
export function computeCapUsdMax(capCents: number): number {
  return Math.max(RELOAD.capUsdMax, capCents / CENTS_PER_USD);
}

export function renderBilling(billing: BillingState): Html {
  const { autoReload, sells, topUp, sold } = billing;
  return html`<h1>Billing</h1>
${
  sells
    ? html`<section aria-labelledby="packs"><h2 id="packs">Add credits</h2>
${renderPackCards({ query: new URLSearchParams({ k: topUp }), verb: 'Add' })}</section>`
    : html`<p class="notice">Credits are not for sale at the moment.</p>`
}
${(sells || autoReload.hasCard) && renderCard(billing)}
${(sells || autoReload.hasCard) && renderReload(billing)}
${renderPayments(sold)}`;
}

function renderCard({ autoReload, csrf, notes, topUp }: BillingState): Html {
  const withCard = `/pricing?${new URLSearchParams({ k: topUp, auto_reload: '1' })}`;
  return html`<section aria-labelledby="card"><h2 id="card">Saved card</h2>
${notes.done === 'removed' && html`<p class="notice" role="status">The card is removed and auto-reload is off.</p>`}
${notes.cardKept === true && html`<p class="problem" role="alert">The payment provider did not answer, so the card is still saved there. Auto-reload is off. Try again in a moment.</p>`}
${
  autoReload.hasCard
    ? html`<form class="panel bar" method="post" action="/account/billing/remove-card">${renderHiddenFields({ csrf })}
<p>${formatCard(autoReload)}</p><button class="button second" type="submit">Remove the card</button></form>
<p class="quiet">Only auto-reload uses it. The payment provider keeps it; this service knows no more of it than you see here.</p>`
    : renderEmptyState({
        title: 'No card is saved',
        text: html`A card is saved only when you buy a pack with auto-reload: <a href="${withCard}">add credits with auto-reload</a>.`,
      })
}</section>`;
}

function formatCard({ card }: AutoReload): string {
  if (card === null) return 'A card that was saved before its digits were kept';
  const brand = card.brand.charAt(0).toUpperCase() + card.brand.slice(1);
  return `${brand} ending in ${card.last4}`;
}

function renderReload({ autoReload, shown, csrf, notes, sold }: BillingState): Html {
  const { enabled, hasCard, spentThisMonthCents, capCents } = autoReload;
  const reloads = sold.filter(({ how }) => how === 'auto-reload');
  return html`<section aria-labelledby="reload">
<h2 id="reload">Auto-reload ${enabled ? html`<span class="badge on">on</span>` : html`<span class="badge">off</span>`}</h2>
${notes.done === 'saved' && html`<p class="notice" role="status">Saved.</p>`}
${notes.cardMissing === true && html`<p class="problem" role="alert">There is no saved card to charge.</p>`}
${renderReloadError(autoReload)}
${hasCard && html`<p>${formatDollars(spentThisMonthCents)} of ${formatDollars(capCents)} spent this month (UTC).</p>`}
<form class="panel" method="post" action="/account/billing/auto-reload">${renderHiddenFields({ csrf })}
${renderReloadFieldset({ shown, capUsdMax: computeCapUsdMax(capCents), problems: notes.problems ?? [] })}
<button class="button second" type="submit">Save</button>
</form>
<h3>What auto-reload did</h3>
${
  reloads.length === 0
    ? renderEmptyState({
        title: 'Nothing yet',
        text: html`Each purchase that auto-reload makes or tries appears here, with the reason if it failed.`,
      })
    : renderTable('Purchases by auto-reload', {
        columns: [
          { title: 'Time' },
          { title: 'Pack' },
          { title: 'Price', isNumber: true },
          { title: 'Outcome' },
        ],
        rows: reloads.map((sale) => [
          renderTime(sale.at),
          formatPackName(sale.pack),
          formatDollars(sale.cents),
          renderOutcome(sale),
        ]),
      })
}</section>`;
}

function renderOutcome({ state, error, credits }: Sale): Html {
  if (state === 'paid') return html`${formatNumber(credits)} credits added`;
  const why = error === null ? '' : `: ${describeReloadError(error)}`;
  return html`<span class="badge ${state === 'failed' ? 'alarm' : 'warn'}">${state}</span>${why}`;
}

/** Renders a receipt where the payment provider gives none, such as the sandbox. */
export function renderOwnReceipt({ id, at, pack, how, credits, cents, state }: Sale): Html {
  return html`<h1>Receipt</h1>
<p class="lead">The payment provider gave no receipt of its own for this payment; in the sandbox no money moves.</p>
<dl class="figures">
<div><dt>Pack, by ${how}</dt><dd>${formatPackName(pack)}</dd></div>
<div><dt>Credits</dt><dd>${formatNumber(credits)}</dd></div>
<div><dt>Price</dt><dd>${formatDollars(cents)}</dd></div>
</dl>
<p>${renderTime(at)}, ${state}. Payment <code>${id}</code></p>
<p><a href="/account/billing">Back to billing</a></p>`;
}

function renderPayments(sold: Sale[]): Html {
  const paid = sold.filter(({ state }) => state === 'paid');
  return html`<section aria-labelledby="payments"><h2 id="payments">Payments</h2>
${
  paid.length === 0
    ? renderEmptyState({
        title: 'No payments yet',
        text: html`Each payment appears here with a link to its receipt.`,
      })
    : renderTable('Payments', {
        columns: [
          ...[{ title: 'Time' }, { title: 'Pack' }, { title: 'How' }],
          ...[{ title: 'Credits', isNumber: true } as const, { title: 'Price', isNumber: true } as const],
          { title: 'Receipt' },
        ],
        rows: paid.map((sale) => [
          ...[renderTime(sale.at), formatPackName(sale.pack), sale.how],
          html`${formatNumber(sale.credits)}${sale.clawedBack > 0 && html`<br><span class="quiet">${formatNumber(sale.clawedBack)} taken back</span>`}`,
          formatDollars(sale.cents),
          html`<a href="/account/receipt/${sale.id}" aria-label="Receipt of ${new Date(sale.at).toISOString().slice(0, 10)}, ${formatDollars(sale.cents)}">Receipt</a>${sale.dispute === 'open' && html` <span class="badge alarm">disputed</span>`}`,
        ]),
      })
}</section>`;
}
