import type { BalanceReader } from '../../../billing/balance.ts';
import type { AutoReload, AutoReloads } from '../../../billing/payments/auto-reload.ts';
import type { Cards } from '../../../billing/payments/cards.ts';
import type { Sales } from '../../../billing/payments/sales.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { readReloadFields } from '../../v1/reload-fields.ts';
import { readReloadValues, toReloadValues } from '../payments/reload-fieldset.ts';
import type { Website } from '../shell/site.ts';
import { type AccountDoor, type OwnerVisit, redirect } from './account-door.ts';
import { buildAccountPage } from './account-frame.ts';
import { type BillingNotes, computeCapUsdMax, renderBilling, renderOwnReceipt } from './billing-view.ts';

export type BillingPageDeps = {
  door: AccountDoor;
  balanceOf: BalanceReader;
  autoReloads: Pick<AutoReloads, 'configure'>;
  cards: Cards;
  sales: Sales;
  signTopUp(keyId: string): string;
  site: Website;
};

type Handler = (call: Call) => Promise<Answer>;

const SALES_SHOWN = 50;
const NOTES = ['saved', 'removed'] as const;

/** Creates the handlers of the billing page and of its forms. */
export function createBillingPages(
  deps: BillingPageDeps,
): Record<'show' | 'receipt' | 'autoReload' | 'removeCard', Handler> {
  const { door, cards, sales, site } = deps;
  return {
    show: door.page((visit, { query }) => {
      const done = NOTES.find((note) => query.get('done') === note) ?? null;
      return buildBillingPage(deps, visit, { done });
    }),
    receipt: door.page(async ({ session, csrf }, { params }) => {
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
    autoReload: door.action((visit) => saveReload(deps, visit)),
    removeCard: door.action(async (visit) => {
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
