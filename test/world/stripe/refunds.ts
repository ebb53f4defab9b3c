import { invalid, missing } from './failure.ts';
import type { Params } from './form.ts';
import type { Account, Charge, Dispute, Refund } from './objects.ts';

export function createRefund(account: Account, params: Params): Refund {
  const intent = params.text('payment_intent');
  if (intent === null)
    throw invalid('One of charge or payment_intent is needed.', { param: 'payment_intent' });
  return refund(account, intent, params.whole('amount'));
}

/** All that is left when no sum is named. */
export function refund(account: Account, intent: string, cents: number | null): Refund {
  const charge = paidChargeOf(account, intent);
  const left = charge.amount - charge.amount_refunded;
  const amount = cents ?? left;
  if (left === 0)
    throw invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (amount < 1 || amount > left)
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount (${left})`, {
      param: 'amount',
    });
  const made: Refund = {
    ...account.stored('refund', 're'),
    amount,
    charge: charge.id,
    payment_intent: intent,
    status: 'succeeded',
  };
  account.refunds.set(made.id, made);
  give(account, charge, amount);
  account.emit('refund.created', made);
  account.emit('charge.refunded', charge);
  return made;
}

/** The buyer's bank sends the money back: the refund has not happened. */
export function failRefund(account: Account, id: string): Refund {
  const made = account.refunds.get(id);
  if (made === undefined) throw missing('refund', id);
  made.status = 'failed';
  give(account, paidChargeOf(account, made.payment_intent), -made.amount);
  account.emit('refund.updated', made);
  account.emit('refund.failed', made);
  return made;
}

function give(account: Account, charge: Charge, cents: number): void {
  charge.amount_refunded += cents;
  charge.refunded = charge.amount_refunded === charge.amount;
  note(account, charge, { kind: 'refund', cents });
}

export function openDispute(
  account: Account,
  intent: string,
  status: 'needs_response' | 'warning_needs_response' = 'needs_response',
): Dispute {
  const charge = paidChargeOf(account, intent);
  const dispute: Dispute = {
    ...account.stored('dispute', 'du'),
    amount: charge.amount,
    charge: charge.id,
    payment_intent: intent,
    status,
  };
  account.disputes.set(dispute.id, dispute);
  charge.disputed = true;
  account.emit('charge.dispute.created', dispute);
  return dispute;
}

export function closeDispute(account: Account, id: string, outcome: 'won' | 'lost'): Dispute {
  const dispute = account.disputes.get(id);
  if (dispute === undefined) throw missing('dispute', id);
  dispute.status = outcome;
  if (outcome === 'lost')
    note(account, paidChargeOf(account, dispute.payment_intent), {
      kind: 'dispute lost',
      cents: dispute.amount,
    });
  account.emit('charge.dispute.closed', dispute);
  return dispute;
}

function paidChargeOf(account: Account, intent: string): Charge {
  const charge = account.charges.get(account.intents.get(intent)?.latest_charge ?? '');
  if (charge === undefined || charge.status !== 'succeeded')
    throw invalid(`This PaymentIntent (${intent}) does not have a successful charge to refund.`);
  return charge;
}

function note(
  account: Account,
  charge: Charge,
  { kind, cents }: { kind: 'refund' | 'dispute lost'; cents: number },
): void {
  const { payment_intent: intent, metadata } = charge;
  account.journal.push({ kind, at: account.clock.now(), intent, cents, metadata });
}
