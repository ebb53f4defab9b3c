import { PACK_NAMES, type PackName, RELOAD } from '../../../billing/ledger/prices.ts';
import type { Checkouts } from '../../../billing/payments/checkouts.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { createValidationFailure } from '../../calls/json-body.ts';
import { readReloadFields } from '../../v1/reload-fields.ts';
import type { CheckoutLimit } from './checkout-limit.ts';

export type BuyDeps = {
  checkouts: Pick<Checkouts, 'open'>;
  openings: CheckoutLimit;
  /** Returns the id of the key that a signed reference names; null if the signature is invalid. */
  readTopUp(text: string): string | null;
};

/** Handles GET /buy/{pack}: redirects to the payment page. Errors: 404 not_found, 422 validation_error, 503. */
export function createBuyHandler({
  checkouts,
  openings,
  readTopUp,
}: BuyDeps): (call: Call) => Promise<Answer> {
  return async ({ params, query, address }) => {
    const pack = parsePack(params.pack);
    const read = readReloadFields(query, { capUsdMax: RELOAD.capUsdMax });
    if (!read.ok) throw createValidationFailure(read.problems);
    const topUp = parseTopUp(query.get('k') ?? '', readTopUp);
    const { enabled, terms } = read.fields;
    admit(openings, address);
    const { url } = await checkouts.open({ pack, topUp, autoReload: enabled ? terms : null });
    return { status: 303, body: '', headers: { Location: url, 'Cache-Control': 'no-store' } };
  };
}

/**
 * Handles GET /buy/{pack} where nothing is sold: redirects to the pricing page, which says so and how else to get a key. The
 * interface promises this link in every 402.
 */
export function createClosedBuyHandler({
  serviceUrl,
}: {
  serviceUrl(): string;
}): (call: Call) => Promise<Answer> {
  return async ({ params }) => {
    parsePack(params.pack);
    const headers = { Location: `${serviceUrl()}/pricing`, 'Cache-Control': 'no-store' };
    return { status: 303, body: '', headers };
  };
}

function parsePack(name: string | undefined): PackName {
  const pack = PACK_NAMES.find((known) => known === name);
  if (pack !== undefined) return pack;
  throw new Failure('not_found', `No such pack. The packs are ${PACK_NAMES.join(', ')}.`);
}

function parseTopUp(reference: string, readTopUp: BuyDeps['readTopUp']): string | null {
  if (reference === '') return null;
  const keyId = readTopUp(reference);
  if (keyId !== null) return keyId;
  throw createValidationFailure([{ field: 'k', message: 'is not a valid reference to a key' }]);
}

/** Limits the payment pages that an address may open. The API has no 429, so excess is answered like any overload. */
function admit(openings: CheckoutLimit, address: string): void {
  const taken = openings.take(address);
  if (taken.ok) return;
  throw new Failure('overloaded', 'Too many payment pages were opened from this address. Try again later.', {
    retryAfterSeconds: taken.retryAfterSeconds,
  });
}
