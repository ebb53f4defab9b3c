import { CENTS_PER_USD, PACK_NAMES, PACKS, type PackName } from '../../../billing/ledger/prices.ts';
import { count, dollars } from '../amounts.ts';
import { type Html, html } from '../html.ts';

/** The packs with their links to buy. Links, not forms: they redirect to another host, which `form-action` would block. */
export function packCards({ query, verb }: { query: URLSearchParams; verb: string }): Html {
  return html`<ul class="packs">${PACK_NAMES.map((pack) => card(pack, { query, verb }))}</ul>`;
}

function card(pack: PackName, { query, verb }: { query: URLSearchParams; verb: string }): Html {
  const { priceUsd, credits } = PACKS[pack];
  const cents = priceUsd * CENTS_PER_USD;
  return html`<li class="pack">
<h3>${packName(pack)}</h3>
<p class="price"><strong>${dollars(cents)}</strong> once</p>
<p>${count(credits)} credits<br><span class="quiet">${dollars(Math.round((cents / credits) * 1_000))} per 1,000 searches</span></p>
<a class="button" href="${buyLink(pack, query)}">${verb} ${packName(pack)}</a>
</li>`;
}

/** "builder" -> "Builder". */
export function packName(pack: PackName): string {
  return pack.charAt(0).toUpperCase() + pack.slice(1);
}

/** `/buy/builder?k=...`; empty values are left out. */
function buyLink(pack: PackName, query: URLSearchParams): string {
  const given = new URLSearchParams([...query].filter(([, value]) => value !== '')).toString();
  return `/buy/${pack}${given === '' ? '' : `?${given}`}`;
}
