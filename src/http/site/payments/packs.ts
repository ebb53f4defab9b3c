import { CENTS_PER_USD, PACK_NAMES, PACKS, type PackName } from '../../../billing/ledger/prices.ts';
import { formatDollars, formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';

/** The pack recommended to most people: cheaper by a sixth than the smallest, without a large sum. */
const RECOMMENDED: PackName = 'builder';

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
