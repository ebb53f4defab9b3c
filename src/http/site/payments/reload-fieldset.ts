import { CENTS_PER_USD, PACK_NAMES, PACKS, type PackName, RELOAD } from '../../../billing/ledger/prices.ts';
import type { AutoReload } from '../../../billing/payments/auto-reload.ts';
import type { FieldProblem } from '../../../contract/errors.ts';
import { formatDollars, formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';

/** The pack recommended to most people: cheaper by a sixth than the smallest, without a large sum. */
const RECOMMENDED: PackName = 'builder';

/** The values of the fields: the stored settings, or the owner's input. */
export type ReloadValues = { enabled: boolean; threshold: string; pack: string; capUsd: string };

type ReloadFieldset = {
  shown: ReloadValues;
  capUsdMax: number;
  problems: FieldProblem[];
  /** The pack may be left empty, which means the pack that is bought. */
  mayFollow?: true;
};

/** Renders the fields of auto-reload, which are the same on every page. */
export function renderReloadFieldset({ shown, capUsdMax, problems, mayFollow }: ReloadFieldset): Html {
  const { thresholdMin, thresholdMax, capUsdMin } = RELOAD;
  return html`<label class="switch"><input type="checkbox" name="auto_reload" value="1"${renderAttribute('checked', shown.enabled)}> Reload automatically</label>
<div class="fields">
${renderField('threshold', 'When credits fall below', problems, (described) => html`<input id="threshold" name="threshold" type="number" inputmode="numeric" min="${thresholdMin}" max="${thresholdMax}" step="1" value="${shown.threshold}"${described}>`)}
${renderField('reload_pack', 'buy this pack', problems, (described) => html`<select id="reload_pack" name="reload_pack"${described}>${mayFollow === true && html`<option value="">the pack that I buy now</option>`}${PACK_NAMES.map((pack) => renderOption(pack, shown.pack))}</select>`)}
${renderField('monthly_max_usd', `and spend at most, in USD per month (up to ${formatNumber(capUsdMax)})`, problems, (described) => html`<input id="monthly_max_usd" name="monthly_max_usd" type="number" inputmode="decimal" min="${capUsdMin}" max="${capUsdMax}" step="0.01" value="${shown.capUsd}"${described}>`)}
</div>`;
}

function renderField(
  name: string,
  label: string,
  problems: FieldProblem[],
  input: (described: Html | null) => Html,
): Html {
  const problem = problems.find((one) => one.field === name);
  if (problem === undefined)
    return html`<div class="field"><label for="${name}">${label}</label>${input(null)}</div>`;
  const described = html` aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<div class="field"><label for="${name}">${label}</label>${input(described)}<p class="problem" id="${name}-problem">This ${problem.message}.</p></div>`;
}

function renderOption(pack: PackName, chosen: string): Html {
  const { priceUsd, credits } = PACKS[pack];
  return html`<option value="${pack}"${renderAttribute('selected', pack === chosen)}>${formatPackName(pack)}: ${formatNumber(credits)} for ${formatDollars(priceUsd * CENTS_PER_USD)}</option>`;
}

function renderAttribute(name: string, isOn: boolean): Html | null {
  return isOn ? html` ${name}` : null;
}

/** Reads the owner's input as it was typed, so that one mistake does not lose the rest. */
export function readReloadValues(params: URLSearchParams): ReloadValues {
  return {
    enabled: params.get('auto_reload') === '1',
    threshold: params.get('threshold') || String(RELOAD.threshold),
    pack: params.get('reload_pack') || RELOAD.pack,
    capUsd: params.get('monthly_max_usd') || String(RELOAD.capUsd),
  };
}

/** Converts the stored settings to field values. */
export function toReloadValues({ enabled, threshold, pack, capCents }: AutoReload): ReloadValues {
  return { enabled, threshold: String(threshold), pack, capUsd: String(capCents / CENTS_PER_USD) };
}

/** Renders the packs with links to buy them. They are not forms, because `form-action` would block the redirect to another host. */
export function renderPackCards({ query, verb }: { query: URLSearchParams; verb: string }): Html {
  return html`<ul class="packs">${PACK_NAMES.map((pack) => renderPackCard(pack, { query, verb }))}</ul>`;
}

function renderPackCard(pack: PackName, { query, verb }: { query: URLSearchParams; verb: string }): Html {
  const { priceUsd, credits } = PACKS[pack];
  const cents = priceUsd * CENTS_PER_USD;
  const isRecommended = pack === RECOMMENDED;
  return html`<li class="pack${isRecommended && ' recommended'}">
<h3>${formatPackName(pack)}${isRecommended && html` <span class="badge on">Recommended</span>`}</h3>
<p class="price"><strong>${formatDollars(cents)}</strong> once</p>
<p>${formatNumber(credits)} credits<br><span class="quiet">${formatDollars(Math.round((cents / credits) * 1_000))} per 1,000 searches</span></p>
${query.get('auto_reload') === '1' && html`<p class="quiet">Then ${formatPackName(chooseReloadPack(pack, query))} again, for ${formatDollars(PACKS[chooseReloadPack(pack, query)].priceUsd * CENTS_PER_USD)}, whenever credits run low</p>`}
<a class="button" href="${buildPackLink(pack, query)}">${verb} ${formatPackName(pack)}</a>
</li>`;
}

/** "builder" -> "Builder". */
export function formatPackName(pack: PackName): string {
  return pack.charAt(0).toUpperCase() + pack.slice(1);
}

/** Returns the pack that auto-reload buys: the chosen one, otherwise the one that is bought now. */
function chooseReloadPack(pack: PackName, query: URLSearchParams): PackName {
  return PACK_NAMES.find((name) => name === query.get('reload_pack')) ?? pack;
}

/** Builds `/buy/builder?k=...` without empty values. The pack of auto-reload is named because its default is another one. */
function buildPackLink(pack: PackName, query: URLSearchParams): string {
  const wanted = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  if (wanted.get('auto_reload') === '1') wanted.set('reload_pack', chooseReloadPack(pack, query));
  const given = wanted.toString();
  return `/buy/${pack}${given === '' ? '' : `?${given}`}`;
}

const REASONS: Record<string, string> = {
  authentication_required: 'the bank asked for confirmation',
  card_declined: 'the card was declined',
  expired_card: 'the card has expired',
  insufficient_funds: 'the card had insufficient funds',
  no_payment_method: 'there was no saved card any more',
  canceled: 'the charge was canceled',
  PaymentUncertain: 'the payment provider did not answer; it will be tried again',
  PaymentThrottled: 'the payment provider asked for a pause; it will be tried again',
};

/** Describes an error code of the payment provider in words; an unknown code stays unchanged. */
export function describeReloadError(code: string): string {
  return REASONS[code] ?? code;
}

/** Renders the reason why the last automatic payment failed, if it did. */
export function renderReloadError({ enabled, lastError }: AutoReload): Html | null {
  if (lastError === null) return null;
  const reason = describeReloadError(lastError);
  return html`<p class="problem" role="alert">The last automatic payment failed: ${reason}.${enabled ? null : ' Auto-reload is now off.'}</p>`;
}
