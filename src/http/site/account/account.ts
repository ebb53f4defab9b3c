import type { BalanceOf } from '../../../billing/balance.ts';
import type { UsageOfDays } from '../../../billing/ledger/usage-of-days.ts';
import type { AutoReloads } from '../../../billing/payments/auto-reload.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import type { FindKey } from '../../calls/caller.ts';
import { readReloadFields } from '../../v1/reload-fields.ts';
import { formOf } from '../form.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import { type ReloadShown, shownReload, typedReload } from '../payments/reload-fieldset.ts';
import type { Website } from '../shell/site.ts';
import { type AccountShown, accountMain, pageCapUsdMax } from './account-view.ts';

export type AccountDeps = {
  findKey: FindKey;
  balanceOf: BalanceOf;
  autoReloads: Pick<AutoReloads, 'configure'>;
  usageOfDays: UsageOfDays;
  signTopUp(keyId: string): string;
  site: Website;
};

const DAYS = 30;
const TITLE = 'Account';
const UNKNOWN_KEY = 'This key is unknown. Check that you copied all of it.';

/** GET /account: asks for a key. */
export function askForKey({ site }: Pick<AccountDeps, 'site'>): () => Promise<Answer> {
  return async () => keyForm(site, null);
}

/** POST /account: a key's credits, use and auto-reload. The key comes in a form, never in an address. */
export function account(deps: AccountDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    const apiKey = keyOf(formOf(call));
    const found = apiKey === '' ? null : await deps.findKey(apiKey);
    if (found === null) return keyForm(deps.site, apiKey === '' ? 'Paste a key first.' : UNKNOWN_KEY);
    return accountPage(deps.site, await lookUp(deps, { apiKey, keyId: found.keyId }));
  };
}

/** POST /account/auto-reload: saves the owner's settings and shows the page with the current ones. */
export function accountReload(deps: AccountDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    const form = formOf(call);
    const apiKey = keyOf(form);
    const found = apiKey === '' ? null : await deps.findKey(apiKey);
    if (found === null) return keyForm(deps.site, UNKNOWN_KEY);
    const { keyId } = found;
    const { capCents } = (await deps.balanceOf(keyId)).autoReload;
    const read = readReloadFields(form, { capUsdMax: pageCapUsdMax(capCents) });
    const again = async (shown: ReloadShown, notes: Partial<AccountShown>): Promise<AccountShown> => ({
      ...(await lookUp(deps, { apiKey, keyId })),
      ...{ shown, ...notes },
    });
    if (!read.ok)
      return accountPage(deps.site, await again(typedReload(form), { problems: read.problems }), {
        status: 422,
      });
    try {
      const change = { enabled: read.fields.enabled, ...read.fields.terms };
      const settings = await deps.autoReloads.configure(keyId, change, { by: 'owner' });
      return accountPage(deps.site, await again(shownReload(settings), { saved: true }));
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'no_payment_method')) throw error;
      return accountPage(deps.site, await again(typedReload(form), { cardMissing: true }), { status: 409 });
    }
  };
}

/** Trimmed: a key copied from an email may bring spaces and line ends. */
function keyOf(form: URLSearchParams): string {
  return (form.get('key') ?? '').trim();
}

async function lookUp(
  { balanceOf, usageOfDays, signTopUp, site }: AccountDeps,
  { apiKey, keyId }: { apiKey: string; keyId: string },
): Promise<AccountShown> {
  const [balance, days] = await Promise.all([balanceOf(keyId), usageOfDays(keyId, DAYS)]);
  const shown = shownReload(balance.autoReload);
  return {
    ...{ apiKey, balance, days, shown, topUp: signTopUp(keyId) },
    ...{ problems: [], saved: false, cardMissing: false, sells: site.terms?.sells ?? false },
  };
}

function accountPage(
  site: Website,
  shown: AccountShown,
  { status }: { status: number } = { status: 200 },
): Answer {
  return page({ site, title: TITLE, place: '/account', status, main: accountMain(shown) });
}

function keyForm(site: Website, problem: string | null): Answer {
  return page({
    site,
    title: TITLE,
    place: '/account',
    status: problem === null ? 200 : problem === UNKNOWN_KEY ? 401 : 422,
    main: html`<section class="intro">
<h1>Your key</h1>
<p class="lead">Paste it to see its credits, its use, and its auto-reload settings.</p>
<form class="panel" method="post" action="/account">
<div class="field"><label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" maxlength="200"${problem === null ? null : html` aria-invalid="true" aria-describedby="key-problem"`}>
${problem === null ? null : html`<p class="problem" id="key-problem" role="alert">${problem}</p>`}</div>
<button class="button" type="submit">Show account</button>
</form>
<p class="quiet">Your key is sent to this server only and is not stored: no cookie, no log. No key yet? <a href="/pricing">Get one</a>.</p>
</section>`,
  });
}
