import { invalid, missing } from './failure.ts';
import type { Params } from './form.ts';
import type { Account, CardBehaviour, Customer, PaymentMethod } from './objects.ts';

export function createCustomer(account: Account, params: Params | null): Customer {
  const customer: Customer = {
    ...account.stored('customer', 'cus'),
    metadata: params?.under('metadata') ?? {},
  };
  account.customers.set(customer.id, customer);
  account.emit('customer.created', customer);
  return customer;
}

export function deleteCustomer(account: Account, id: string): { id: string; object: string; deleted: true } {
  const customer = customerOf(account, id);
  for (const card of account.cards.values()) if (card.customer === id) detachCard(account, card.id);
  account.emit('customer.deleted', customer);
  customer.deleted = true;
  return { id, object: 'customer', deleted: true };
}

export function customerOf(account: Account, id: string, param = 'id'): Customer {
  const customer = account.customers.get(id);
  if (customer === undefined || customer.deleted)
    throw param === 'id'
      ? missing('customer', id)
      : invalid(`No such customer: '${id}'`, { code: 'resource_missing', param });
  return customer;
}

/** A new card; kept for later only where there is a customer. */
export function addCard(
  account: Account,
  { behaviour, customer }: { behaviour: CardBehaviour; customer: string | null },
): PaymentMethod {
  const card: PaymentMethod = {
    ...account.stored('payment_method', 'pm'),
    type: 'card',
    customer,
  };
  account.cards.set(card.id, card);
  account.behaviours.set(card.id, behaviour);
  if (customer !== null) account.emit('payment_method.attached', card);
  return card;
}

export function cardOf(account: Account, id: string): PaymentMethod {
  const card = account.cards.get(id);
  if (card === undefined) throw missing('PaymentMethod', id, 'payment_method');
  return card;
}

export function detachCard(account: Account, id: string): PaymentMethod {
  const card = cardOf(account, id);
  if (card.customer === null)
    throw invalid('The payment method you provided is not attached to a customer.', {
      param: 'payment_method',
    });
  card.customer = null;
  account.emit('payment_method.detached', card);
  return card;
}

/** A card may be charged for the customer that it is attached to, and for nobody else. */
export function checkOwner(account: Account, card: string, customer: string | null): PaymentMethod {
  const found = account.cards.get(card);
  if (found === undefined)
    throw invalid(`No such PaymentMethod: '${card}'`, { code: 'resource_missing', param: 'payment_method' });
  if (found.customer === null || found.customer !== customer)
    throw invalid(`The customer does not have a payment method with the ID ${card}.`, {
      code: 'resource_missing',
      param: 'payment_method',
    });
  return found;
}
