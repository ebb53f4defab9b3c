import type { PaymentOverview } from '../../../billing/payments/payment-overview.ts';
import { formatDollars, formatNumber } from '../../site/amounts.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import type { ConsoleDeps, ConsoleMoney } from '../console-types.ts';
import {
  formatDuration,
  readRequiredText,
  renderActionButton,
  renderBadge,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';

const PATH = '/admin/payments';
/** Interval at which browsers without scripts check whether an audit has ended. */
const REFRESH_SECONDS = 5;

/** GET /admin/payments: open and mismatched payments, and the audit of the ledger. */
export const paymentsSection: Section = {
  path: PATH,
  name: 'Payments and ledger',
  async show(deps, asked) {
    const money = requireMoney(deps);
    const overview = await money.payments();
    return {
      ...(money.audit.state().since === null ? {} : { refreshSeconds: REFRESH_SECONDS }),
      main: html`${renderAudit(money, { ...asked, now: deps.clock.now() })}
${money.sells ? html`<h2>Sold in 30 days</h2>${renderSold(overview)}` : html`<p class="quiet">Nothing is sold here (<code>PAYMENTS</code>); what was sold before is shown.</p>`}
<h2>To look at</h2>
${money.sells && renderActionButton({ path: PATH, act: 'ask', csrf: asked.csrf, label: 'Ask the payment provider now' })}
${renderMismatches(overview)}
${renderOpenEvents(overview, asked)}
${renderReloads(overview)}`,
    };
  },
  actions: {
    async audit(deps) {
      const hasBegun = requireMoney(deps).audit.begin();
      if (hasBegun) await deps.actions.record({ action: 'audit of the ledger started' });
      return { text: hasBegun ? 'The audit has begun.' : 'An audit is under way already.' };
    },
    async retry(deps, form) {
      const id = readRequiredText(form, 'id');
      await requireMoney(deps).retryEvent(id);
      await deps.actions.record({ action: 'payment event retried', id });
      return { text: 'Tried again; an event that is still listed failed once more.' };
    },
    async ask(deps) {
      await requireMoney(deps).askProvider();
      await deps.actions.record({ action: 'payment provider asked' });
      return { text: 'The provider was asked, and what it told was handled.' };
    },
  },
};

function requireMoney({ money }: ConsoleDeps): ConsoleMoney {
  if (money === null) throw new Error('pages about payments are served only where calls are metered');
  return money;
}

function renderAudit({ audit }: ConsoleMoney, { csrf, now }: SectionRequest & { now: number }): Html {
  const { since, last } = audit.state();
  return html`<section aria-labelledby="audit"><h2 id="audit">Audit of the ledger</h2>
<p>Checks every entry of every key against what the ledger promises, in a thread of its own, while calls go on.</p>
${since !== null ? html`<p>${renderBadge('under way', 'on')} for ${formatDuration(now - since)}. Reload the page to see whether it has ended.</p>` : renderActionButton({ path: PATH, act: 'audit', csrf, label: 'Audit now' })}
${last === null ? html`<p class="quiet">No audit since the start of this process.</p>` : renderAuditResult(last)}</section>`;
}

function renderAuditResult(last: NonNullable<ReturnType<ConsoleMoney['audit']['state']>['last']>): Html {
  const { endedAt, seconds, findings, problem } = last;
  const when = html`The last audit ended ${renderTime(endedAt)} UTC and took ${seconds.toFixed(1)} s`;
  if (findings === null) return html`<p class="problem">${when}: it could not be finished (${problem}).</p>`;
  if (findings.length === 0)
    return html`<p>${renderBadge('sound', 'good')} ${when}: the ledger keeps every promise.</p>`;
  return html`<p class="problem">${when}: the ledger is damaged. Back it up before you repair anything.</p>
${renderTable({
  label: 'Findings of the audit',
  columns: [{ title: 'Promise' }, { title: 'Key' }, { title: 'What is wrong' }],
  rows: findings.map(({ invariant, keyId, text }) => [invariant, keyId ?? '', text]),
  empty: '',
})}`;
}

function renderSold({ sold }: PaymentOverview): Html {
  return renderTable({
    label: 'Sold in 30 days',
    columns: [
      ...[{ title: 'Pack' }, { title: 'How' }],
      ...[{ title: 'Sales', isNumber: true } as const, { title: 'Money', isNumber: true } as const],
    ],
    rows: sold.map((sale) => [sale.pack, sale.how, formatNumber(sale.count), formatDollars(sale.cents)]),
    empty: 'Nothing was sold.',
  });
}

/** Renders reports of the provider that do not match what was sold. */
function renderMismatches({ unmatched, stray, disputes }: PaymentOverview): Html {
  const rows: Part[][] = [
    ...unmatched.map(({ id, pack, cents, state, createdAt }): Part[] => [
      'paid or changed, but no credits were given',
      html`payment page <code>${id}</code> (${pack}, ${state})`,
      formatDollars(cents),
      renderTime(createdAt),
    ]),
    ...stray.map(({ event, charge, createdAt }): Part[] => [
      'belongs to no sale here',
      html`charge <code>${charge}</code> (${event})`,
      '–',
      renderTime(createdAt),
    ]),
    ...disputes.map(({ id, keyId, cents }): Part[] => [
      'disputed; the credits that it gave are frozen',
      html`<code>${id}</code>${keyId !== null && html`, <a href="/admin/keys?id=${keyId}">${keyId}</a>`}`,
      formatDollars(cents),
      '–',
    ]),
  ];
  return html`<h3>Mismatches and disputes</h3>${renderTable({
    label: 'Mismatches and disputes',
    columns: [
      { title: 'What' },
      { title: 'Of what' },
      { title: 'Money', isNumber: true },
      { title: 'When (UTC)' },
    ],
    rows,
    empty: 'Every payment matches a sale.',
  })}`;
}

function renderOpenEvents({ openEvents: events }: PaymentOverview, { csrf }: SectionRequest): Html {
  return html`<h3>Events that wait</h3>${renderTable({
    label: 'Events that wait',
    columns: [
      { title: 'Event' },
      { title: 'Tries', isNumber: true },
      { title: 'When (UTC)' },
      { title: 'Do' },
    ],
    rows: events.map(({ id, type, tries, createdAt }) => [
      html`<code>${id}</code><br><span class="quiet">${type}</span>`,
      formatNumber(tries),
      renderTime(createdAt),
      renderActionButton({ path: PATH, act: 'retry', csrf, label: 'Try again', about: id, fields: { id } }),
    ]),
    empty: 'Every event was handled.',
  })}`;
}

function renderReloads({ reloads: troubled }: PaymentOverview): Html {
  return html`<h3>Auto-reloads that failed or hang</h3>${renderTable({
    label: 'Auto-reloads that failed or hang',
    columns: [
      ...[{ title: 'Key' }, { title: 'State' }, { title: 'Why' }],
      ...[{ title: 'Money', isNumber: true } as const, { title: 'When (UTC)' }],
    ],
    rows: troubled.map(({ keyId, state, error, cents, createdAt }) => [
      html`<a href="/admin/keys?id=${keyId}">${keyId}</a>`,
      state,
      error ?? '–',
      formatDollars(cents),
      renderTime(createdAt),
    ]),
    empty: 'None.',
  })}`;
}
