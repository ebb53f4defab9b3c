import type { Events } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import { assertSome } from './credits.ts';
import type { Ledger } from './ledger.ts';

/**
 * Charges a key for work that outlives its request, once per reference. Resolves to the credits charged: all, or as many as the
 * key has. Repeated calls resolve to the same number. Throws `Failure('overloaded')` if the ledger store does not answer.
 */
export type ChargeOnce = (charge: {
  keyId: string;
  reference: string;
  credits: number;
  /** The route that began the work. */
  endpoint?: string;
}) => Promise<number>;

export function createChargeOnce(deps: {
  ledger: Pick<Ledger, 'chargeUpTo'>;
  clock: Clock;
  events: Pick<Events, 'creditsHeld' | 'creditsSettled' | 'paymentRequired'>;
  /** Called when the charge triggered a purchase; must not throw. */
  onPurchase(purchaseId: string): void;
}): ChargeOnce {
  const { ledger, clock, events, onPurchase } = deps;
  return async ({ keyId, reference, credits, endpoint = null }) => {
    assertSome(credits, 'a charge takes at least one whole credit');
    const { charged, purchase } = await ledger.chargeUpTo({
      id: reference,
      keyId,
      amount: credits,
      endpoint,
      at: clock.now(),
    });
    if (charged > 0) {
      events.creditsHeld(charged);
      events.creditsSettled({ used: charged, unused: 0 });
    }
    if (charged < credits) events.paymentRequired('insufficient_credits');
    if (purchase !== null) onPurchase(purchase);
    return charged;
  };
}
