import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { CheckoutTable } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { generateKey, generateSecret } from '../keys/known-keys.ts';
import { countRecovery, recoverKey } from './checkout-procedures.ts';
import { hashNonce, NONCE_BYTES } from './checkouts.ts';
import type { PaymentProvider } from './providers/payment-provider.ts';

/** Proof from a buyer who lost the key: a text with the recovery code or the payment's id, and the card's last four digits. */
type RecoveryProof = { reference: string; last4: string };

/** The recovered key with its new secret, and the code for the next recovery. */
export type RecoveredKey = { keyId: string; apiKey: string; code: string };

/**
 * Gives an account back to the buyer whose payment created it. Resolves to null if the proof is wrong, without saying which part.
 * Ends the lost key's secret and every session.
 */
export type AccountRecovery = (proof: RecoveryProof) => Promise<RecoveredKey | null>;

/** Maximum attempts per payment with only its id and four digits. */
const TRIES_MAX = 5;
/** The provider's id of the payment, alone, in an address or with its secret: `cs_live_a1.Zm9v`, `session_id=cs_live_a1&n=Zm9v`. */
const REFERENCE = /\b((?:cs|sbx_co)_\w{1,250})(?:(?:\.|&n=)([\w-]{32}))?/;

export function createAccountRecovery(deps: {
  ledgerStore: LedgerStore;
  provider: Pick<PaymentProvider, 'getCheckout'>;
  clock: Clock;
}): AccountRecovery {
  const { ledgerStore, clock } = deps;
  return async ({ reference, last4 }) => {
    const [, providerId = '', nonce] = REFERENCE.exec(reference) ?? [];
    const checkout = await ledgerStore.db
      .selectFrom('checkout')
      .selectAll()
      .where('provider_id', '=', providerId)
      // Anyone may top up somebody else's key, so such a payment proves nothing.
      .where('top_up_key', 'is', null)
      .where('state', '=', 'fulfilled')
      .executeTakeFirst();
    if (checkout === undefined) return null;
    const isProven =
      nonce === undefined
        ? await matchesPaymentCard(deps, { checkout, last4 })
        : isSame(checkout.nonce_hash, hashNonce(nonce));
    if (!isProven) return null;
    const { apiKey, ...secret } = generateSecret();
    const further = generateKey({ kind: 'paid', label: 'recovered', network: null, at: clock.now() });
    const nextNonce = randomBytes(NONCE_BYTES).toString('base64url');
    const nonceHash = hashNonce(nextNonce);
    const { keyId } = await ledgerStore.run(recoverKey, {
      id: checkout.id,
      secret,
      further: further.record,
      nonceHash,
    });
    return {
      keyId,
      apiKey: keyId === further.record.id ? further.apiKey : apiKey,
      code: `${providerId}.${nextNonce}`,
    };
  };
}

/** Returns true if the payment's card ends in `last4`. Counts the attempt first, so that concurrent attempts stay within the bound. */
async function matchesPaymentCard(
  { ledgerStore, provider }: Parameters<typeof createAccountRecovery>[0],
  { checkout, last4 }: { checkout: Selectable<CheckoutTable>; last4: string },
): Promise<boolean> {
  if (!/^\d{4}$/.test(last4) || checkout.provider_id === null) return false;
  if (!(await ledgerStore.run(countRecovery, { id: checkout.id, most: TRIES_MAX }))) return false;
  const { paidBy } = await provider.getCheckout(checkout.provider_id);
  return paidBy !== null && isSame(paidBy.last4, last4);
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
