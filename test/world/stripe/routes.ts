import { answerOf, LIST_TAKES, listOf } from './answers.ts';
import { cardOf, createCustomer, customerOf, deleteCustomer, detachCard } from './cards.ts';
import type { Params, Shape } from './form.ts';
import { cancelIntent, confirmIntent, createIntent, intentOf } from './intents.ts';
import type { Account } from './objects.ts';
import { createRefund } from './refunds.ts';
import { createSession, expireSession, sessionOf } from './sessions.ts';

export type Endpoint = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The id in the path, if there is one, is its only group. */
  path: RegExp;
  shape: Shape;
  answer(account: Account, params: Params, id: string): object;
};

const READ: Shape = { takes: ['expand.#'] };

/** The part of the API that is played. The parameters of 2026-10-28.endive: `payment_method_types` is not among them. */
export const ENDPOINTS: Endpoint[] = [
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    shape: {
      takes: [
        ...['mode', 'client_reference_id', 'success_url', 'cancel_url', 'customer_creation', 'expires_at'],
        ...['allowed_payment_method_types.#', 'metadata.*', 'custom_text.submit.message', 'expand.#'],
        ...['line_items.#.quantity', 'line_items.#.price_data.currency'],
        ...['line_items.#.price_data.unit_amount', 'line_items.#.price_data.product_data.name'],
        ...['line_items.#.price_data.product_data.description', 'payment_intent_data.description'],
        ...['payment_intent_data.metadata.*', 'payment_intent_data.setup_future_usage'],
      ],
      needs: ['mode', 'line_items', 'success_url'],
    },
    answer: (account, params) => answerOf(account, createSession(account, params), params),
  },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/(\w+)$/,
    shape: READ,
    answer: (account, params, id) => answerOf(account, sessionOf(account, id), params),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
    shape: READ,
    answer: (account, params, id) => answerOf(account, expireSession(account, id), params),
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_intents$/,
    shape: {
      takes: [
        ...['amount', 'currency', 'customer', 'payment_method', 'allowed_payment_method_types.#'],
        ...['metadata.*', 'description', 'expand.#'],
      ],
      needs: ['amount', 'currency'],
    },
    answer: (account, params) => answerOf(account, createIntent(account, params), params),
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_intents$/,
    shape: { takes: [...LIST_TAKES, 'customer'] },
    answer: (account, params) => {
      const customer = params.text('customer');
      const all = [...account.intents.values()].filter(
        (intent) => customer === null || intent.customer === customer,
      );
      return listOf(account, all, { params, url: '/v1/payment_intents' });
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_intents\/(\w+)$/,
    shape: READ,
    answer: (account, params, id) => answerOf(account, intentOf(account, id), params),
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_intents\/(\w+)\/confirm$/,
    shape: { takes: ['off_session', 'payment_method', 'return_url', 'expand.#'] },
    answer: (account, params, id) => answerOf(account, confirmIntent(account, id, params), params),
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_intents\/(\w+)\/cancel$/,
    shape: { takes: ['cancellation_reason', 'expand.#'] },
    answer: (account, params, id) => answerOf(account, cancelIntent(account, id), params),
  },
  {
    method: 'GET',
    path: /^\/v1\/disputes$/,
    shape: { takes: [...LIST_TAKES, 'payment_intent', 'charge'] },
    answer: (account, params) => {
      const [intent, charge] = [params.text('payment_intent'), params.text('charge')];
      const all = [...account.disputes.values()].filter(
        (dispute) =>
          (intent === null || dispute.payment_intent === intent) &&
          (charge === null || dispute.charge === charge),
      );
      return listOf(account, all, { params, url: '/v1/disputes' });
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/events$/,
    shape: { takes: [...LIST_TAKES, 'type', 'types.#'] },
    answer: (account, params) => {
      const types = Object.values(params.under('types'));
      const all = [...account.events.values()].filter(
        ({ type }) => types.length === 0 || types.includes(type),
      );
      return listOf(account, all, { params, url: '/v1/events' });
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/refunds$/,
    shape: { takes: ['payment_intent', 'amount', 'reason', 'metadata.*', 'expand.#'] },
    answer: (account, params) => answerOf(account, createRefund(account, params), params),
  },
  {
    method: 'POST',
    path: /^\/v1\/customers$/,
    shape: { takes: ['name', 'email', 'metadata.*', 'expand.#'] },
    answer: (account, params) => answerOf(account, createCustomer(account, params), params),
  },
  {
    method: 'GET',
    path: /^\/v1\/customers\/(\w+)$/,
    shape: READ,
    answer: (account, params, id) => answerOf(account, customerOf(account, id), params),
  },
  {
    method: 'DELETE',
    path: /^\/v1\/customers\/(\w+)$/,
    shape: { takes: [] },
    answer: (account, _params, id) => deleteCustomer(account, id),
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_methods\/(\w+)$/,
    shape: READ,
    answer: (account, params, id) => answerOf(account, cardOf(account, id), params),
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_methods\/(\w+)\/detach$/,
    shape: READ,
    answer: (account, params, id) => answerOf(account, detachCard(account, id), params),
  },
];
