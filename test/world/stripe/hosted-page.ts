import { type Account, CARDS, type CardBehaviour } from './objects.ts';
import { act, type BuyerAction, sessionOf } from './sessions.ts';

export type Page = { status: number; location?: string; html?: string };

const ACTIONS: BuyerAction[] = ['pay', 'fail', 'expire', 'pay_delayed'];

/** The buyer's side: a page with a button for each thing that can happen, and where its forms go. Null: not of the page. */
export function hostedPage(
  account: Account,
  { method, path, body }: { method: string; path: string; body: string },
): Page | null {
  const shown = /^\/c\/pay\/(\w+)$/.exec(path)?.[1];
  if (shown !== undefined && method === 'GET') return { status: 200, html: pageOf(account, shown) };
  const [, id, name] = /^\/_test\/checkout\/(\w+)\/(\w+)$/.exec(path) ?? [];
  const action = ACTIONS.find((one) => one === name);
  if (id === undefined || action === undefined || method !== 'POST') return null;
  const session = act(account, id, action, cardIn(body));
  const isThrough = session.status === 'complete';
  const next = isThrough
    ? session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)
    : `${account.origin}/c/pay/${id}`;
  return { status: 303, location: next };
}

function cardIn(body: string): CardBehaviour {
  const named = new URLSearchParams(body).get('card');
  return CARDS.find((card) => card === named) ?? 'ok';
}

function pageOf(account: Account, id: string): string {
  const session = sessionOf(account, id);
  const error = account.intents.get(session.payment_intent ?? '')?.last_payment_error?.message;
  const terms = session.custom_text.submit?.message;
  const forms = ACTIONS.map(
    (action) => `<button formaction="/_test/checkout/${id}/${action}">${action}</button>`,
  );
  const cards = CARDS.map((card) => `<option>${card}</option>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pay (played)</title>
<h1>Pay ${(session.amount_total / 100).toFixed(2)} ${session.currency.toUpperCase()}</h1>
<p>${session.status}</p>${line(terms)}${line(error)}
<form method="post"><label>Card <select name="card">${cards.join('')}</select></label>${forms.join('')}</form>
<a href="${escaped(session.cancel_url ?? '/')}">Back</a></html>`;
}

const line = (text: string | undefined): string => (text === undefined ? '' : `<p>${escaped(text)}</p>`);

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
