import type { PaymentOverview } from '../../../billing/payments/payment-overview.ts';
import { count, dollars } from '../../site/amounts.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import type { ConsoleDeps, ConsoleMoney } from '../console-types.ts';
import { actionButton, badge, table } from '../parts/controls.ts';
import { wantedText } from '../parts/fields.ts';
import { moment, span } from '../parts/words.ts';
import type { Asked, Section } from '../section.ts';

const PATH = '/admin/payments';
/** Browsers without scripts look for the end of an audit this often. */
const REFRESH_SECONDS = 5;

/** GET /admin/payments: what is open or does not match, and the audit of the ledger. */
export const paymentsSection: Section = {
  path: PATH,
  name: 'Payments and ledger',
  async show(deps, asked) {
    const money = moneyOf(deps);
    const overview = await money.payments();
    return {
      ...(money.audit.state().since === null ? {} : { refreshSeconds: REFRESH_SECONDS }),
      main: html`${auditOf(money, { ...asked, now: deps.clock.now() })}
${money.sells ? html`<h2>Sold in 30 days</h2>${soldTable(overview)}` : html`<p class="quiet">Nothing is sold here (<code>PAYMENTS</code>); what was sold before is shown.</p>`}
<h2>To look at</h2>
${money.sells && actionButton({ path: PATH, act: 'ask', csrf: asked.csrf, label: 'Ask the payment provider now' })}
${mismatches(overview)}
${openEvents(overview, asked)}
${reloads(overview)}`,
    };
  },
  actions: {
    async audit(deps) {
      const hasBegun = moneyOf(deps).audit.begin();
      if (hasBegun) await deps.actions.record({ action: 'audit of the ledger started' });
      return { text: hasBegun ? 'The audit has begun.' : 'An audit is under way already.' };
    },
    async retry(deps, form) {
      const id = wantedText(form, 'id');
      await moneyOf(deps).retryEvent(id);
      await deps.actions.record({ action: 'payment event retried', id });
      return { text: 'Tried again; an event that is still listed failed once more.' };
    },
    async ask(deps) {
      await moneyOf(deps).askProvider();
      await deps.actions.record({ action: 'payment provider asked' });
      return { text: 'The provider was asked, and what it told was handled.' };
    },
  },
};

function moneyOf({ money }: ConsoleDeps): ConsoleMoney {
  if (money === null) throw new Error('pages about payments are served only where calls are metered');
  return money;
}

function auditOf({ audit }: ConsoleMoney, { csrf, now }: Asked & { now: number }): Html {
  const { since, last } = audit.state();
  return html`<section aria-labelledby="audit"><h2 id="audit">Audit of the ledger</h2>
<p>Checks every entry of every key against what the ledger promises, in a thread of its own, while calls go on.</p>
${since !== null ? html`<p>${badge('under way', 'on')} for ${span(now - since)}. Reload the page to see whether it has ended.</p>` : actionButton({ path: PATH, act: 'audit', csrf, label: 'Audit now' })}
${last === null ? html`<p class="quiet">No audit since the start of this process.</p>` : resultOf(last)}</section>`;
}

function resultOf(last: NonNullable<ReturnType<ConsoleMoney['audit']['state']>['last']>): Html {
  const { endedAt, seconds, findings, problem } = last;
  const when = html`The last audit ended ${moment(endedAt)} UTC and took ${seconds.toFixed(1)} s`;
  if (findings === null) return html`<p class="problem">${when}: it could not be finished (${problem}).</p>`;
  if (findings.length === 0)
    return html`<p>${badge('sound', 'good')} ${when}: the ledger keeps every promise.</p>`;
  return html`<p class="problem">${when}: the ledger is damaged. Back it up before you repair anything.</p>
${table({
  label: 'Findings of the audit',
  columns: [{ title: 'Promise' }, { title: 'Key' }, { title: 'What is wrong' }],
  rows: findings.map(({ invariant, keyId, text }) => [invariant, keyId ?? '', text]),
  empty: '',
})}`;
}

function soldTable({ sold }: PaymentOverview): Html {
  return table({
    label: 'Sold in 30 days',
    columns: [
      ...[{ title: 'Pack' }, { title: 'How' }],
      ...[{ title: 'Sales', isNumber: true } as const, { title: 'Money', isNumber: true } as const],
    ],
    rows: sold.map((sale) => [sale.pack, sale.how, count(sale.count), dollars(sale.cents)]),
    empty: 'Nothing was sold.',
  });
}

/** What the provider reported and what does not fit what was sold. */
function mismatches({ unmatched, stray, disputes }: PaymentOverview): Html {
  const rows: Part[][] = [
    ...unmatched.map(({ id, pack, cents, state, createdAt }): Part[] => [
      'paid or changed, but no credits were given',
      html`payment page <code>${id}</code> (${pack}, ${state})`,
      dollars(cents),
      moment(createdAt),
    ]),
    ...stray.map(({ event, charge, createdAt }): Part[] => [
      'belongs to no sale here',
      html`charge <code>${charge}</code> (${event})`,
      '–',
      moment(createdAt),
    ]),
    ...disputes.map(({ id, keyId, cents }): Part[] => [
      'disputed; its key is frozen',
      html`<code>${id}</code>${keyId !== null && html`, <a href="/admin/keys?id=${keyId}">${keyId}</a>`}`,
      dollars(cents),
      '–',
    ]),
  ];
  return html`<h3>Mismatches and disputes</h3>${table({
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

function openEvents({ openEvents: events }: PaymentOverview, { csrf }: Asked): Html {
  return html`<h3>Events that wait</h3>${table({
    label: 'Events that wait',
    columns: [
      { title: 'Event' },
      { title: 'Tries', isNumber: true },
      { title: 'When (UTC)' },
      { title: 'Do' },
    ],
    rows: events.map(({ id, type, tries, createdAt }) => [
      html`<code>${id}</code><br><span class="quiet">${type}</span>`,
      count(tries),
      moment(createdAt),
      actionButton({ path: PATH, act: 'retry', csrf, label: 'Try again', about: id, fields: { id } }),
    ]),
    empty: 'Every event was handled.',
  })}`;
}

function reloads({ reloads: troubled }: PaymentOverview): Html {
  return html`<h3>Auto-reloads that failed or hang</h3>${table({
    label: 'Auto-reloads that failed or hang',
    columns: [
      ...[{ title: 'Key' }, { title: 'State' }, { title: 'Why' }],
      ...[{ title: 'Money', isNumber: true } as const, { title: 'When (UTC)' }],
    ],
    rows: troubled.map(({ keyId, state, error, cents, createdAt }) => [
      html`<a href="/admin/keys?id=${keyId}">${keyId}</a>`,
      state,
      error ?? '–',
      dollars(cents),
      moment(createdAt),
    ]),
    empty: 'None.',
  })}`;
}
