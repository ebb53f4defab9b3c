import { PACK_NAMES, type PackName, RELOAD } from '../../../billing/ledger/prices.ts';
import type { Checkouts } from '../../../billing/payments/checkout-types.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { wantsHtml } from '../../calls/wants-html.ts';
import { validationFailure } from '../../calls/wire.ts';
import { readReloadFields } from '../../v1/reload-fields.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import type { Website } from '../shell/site.ts';
import type { Openings } from './openings.ts';

export type BuyDeps = {
  checkouts: Pick<Checkouts, 'open'>;
  openings: Openings;
  /** The key that a signed reference names; null if the signature is invalid. */
  readTopUp(text: string): string | null;
};

/** GET /buy/{pack}: sends a person to the payment page. Errors: 404 not_found, 422 validation_error, 503. */
export function buyHandler({ checkouts, openings, readTopUp }: BuyDeps): (call: Call) => Promise<Answer> {
  return async ({ params, query, address }) => {
    const pack = packOf(params.pack);
    const read = readReloadFields(query, { capUsdMax: RELOAD.capUsdMax });
    if (!read.ok) throw validationFailure(read.problems);
    const topUp = topUpOf(query.get('k') ?? '', readTopUp);
    const { enabled, terms } = read.fields;
    admit(openings, address);
    const { url } = await checkouts.open({ pack, topUp, autoReload: enabled ? terms : null });
    return { status: 303, body: '', headers: { Location: url, 'Cache-Control': 'no-store' } };
  };
}

/** GET /buy/{pack} where nothing is sold: 503 payment_unavailable, a page for a person. */
export function closedBuyHandler({
  serviceUrl,
  site,
}: {
  serviceUrl(): string;
  site: Website;
}): (call: Call) => Promise<Answer> {
  return async ({ params, headers }) => {
    packOf(params.pack);
    const other = site.terms?.freeKeys
      ? `Claim a free key with POST ${serviceUrl()}/v1/keys/free.`
      : 'Ask its operator for a key.';
    const reason = `This service sells no credits at the moment. ${other}`;
    if (!wantsHtml(headers)) throw new Failure('payment_unavailable', reason);
    return page({
      site,
      title: 'Nothing for sale',
      status: 503,
      main: html`<section class="note-page">
<p class="eyebrow">503</p>
<h1>Nothing is for sale</h1>
<p class="lead">${reason}</p>
<p><a class="button" href="/pricing">See the prices</a></p>
</section>`,
    });
  };
}

function packOf(name: string | undefined): PackName {
  const pack = PACK_NAMES.find((known) => known === name);
  if (pack !== undefined) return pack;
  throw new Failure('not_found', `No such pack. The packs are ${PACK_NAMES.join(', ')}.`);
}

function topUpOf(reference: string, readTopUp: BuyDeps['readTopUp']): string | null {
  if (reference === '') return null;
  const keyId = readTopUp(reference);
  if (keyId !== null) return keyId;
  throw validationFailure([{ field: 'k', message: 'is not a valid reference to a key' }]);
}

/** Limits how many payment pages an address may open. The API has no 429: excess is answered like any overload. */
function admit(openings: Openings, address: string): void {
  const taken = openings.take(address);
  if (taken.ok) return;
  throw new Failure('overloaded', 'Too many payment pages were opened from this address. Try again later.', {
    retryAfterSeconds: taken.retryAfterSeconds,
  });
}
