import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/platform/clock.ts';
import { type ApiAnswer, answerCall } from './api.ts';
import { addCard, createCustomer, deleteCustomer, detachCard } from './cards.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { StripeFailure } from './failure.ts';
import { createFaults, type Fault, type Faults } from './faults.ts';
import { hostedPage } from './hosted-page.ts';
import { createIdempotencyKeys } from './idempotency.ts';
import { type Account, API_VERSION, type CardBehaviour, type JournalLine, openAccount } from './objects.ts';
import { closeDispute, failRefund, openDispute, refund } from './refunds.ts';
import { act, type BuyerAction, settleDelayed } from './sessions.ts';

/** A call that came, and what it was answered; `lost`: the caller has not read the answer whole. */
export type Call = {
  call: string;
  body: string;
  key: string | undefined;
  status: number | null;
  replayed: boolean;
  lost: boolean;
};

/**
 * Stripe, played on loopback: the calls that we make, its rules of idempotency, its hosted page, its signed messages and its
 * failures. It keeps a journal of all money that moved, which the books are compared with.
 */
export type StripeWorld = {
  readonly origin: string;
  readonly secretKey: string;
  readonly webhooks: Deliveries;
  readonly faults: Faults;
  readonly journal: readonly JournalLine[];
  readonly calls: readonly Call[];
  /** All objects, for a closer look. */
  readonly account: Account;
  /** What the buyer does on the hosted page. Gives where the browser goes. */
  buyer(sessionId: string, action: BuyerAction, card?: CardBehaviour): string;
  /** A customer with a card on file, without the way through a checkout. */
  saveCard(behaviour: CardBehaviour): { customer: string; card: string };
  detachCard(card: string): void;
  deleteCustomer(customer: string): void;
  /** Ends a payment that was under way. */
  settle(intentId: string, outcome: 'succeeded' | 'failed'): void;
  /** All that is left when no sum is named. Gives the refund's id. */
  refund(intentId: string, cents?: number): string;
  failRefund(refundId: string): void;
  /** Gives the dispute's id. */
  dispute(intentId: string, status?: 'needs_response' | 'warning_needs_response'): string;
  closeDispute(disputeId: string, outcome: 'won' | 'lost'): void;
  close(): Promise<void>;
};

const CALL_CHARS_MAX = 1_000_000;

export async function startStripe(options: {
  clock: Clock;
  live?: boolean;
  address?: string;
}): Promise<StripeWorld> {
  const { clock, live = false, address = '127.10.0.9' } = options;
  const secretKey = `sk_${live ? 'live' : 'test'}_played`;
  const calls: Call[] = [];
  const faults = createFaults();
  const keys = createIdempotencyKeys(clock);
  // Set as soon as the port is known; before that nothing can arrive.
  let account: Account;
  const webhooks = createDeliveries(clock, (id) => {
    const event = account.events.get(id);
    if (event === undefined) throw new Error(`no event ${id}`);
    return event;
  });
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const method = request.method ?? 'GET';
    const body = await bodyOf(request);
    const page = showPage(account, { method, path, body });
    if (page !== null) return void sendPage(response, page);
    const fault = faults.next(`${method} ${path}`);
    const key = request.headers['idempotency-key'];
    const call: Call = {
      ...{ call: `${method} ${path}`, body, status: null, replayed: false },
      key: typeof key === 'string' ? key : undefined,
      lost: fault === 'refuse' || fault === 'drop' || fault === 'truncate',
    };
    calls.push(call);
    if (fault === 'refuse') return void request.socket.destroy();
    const header = (name: string): string | undefined => request.headers[name]?.toString();
    const query = (request.url ?? '').slice(path.length + 1);
    const answer = await answerCall(
      { account, keys, secretKey },
      { method, path, query, body, header },
      fault,
    );
    Object.assign(call, { status: answer.status, replayed: answer.replayed });
    sendAnswer(response, answer, { fault, number: calls.length });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve);
  });
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
  account = openAccount({ clock, livemode: live, origin, onEvent: (event) => webhooks.take(event) });
  return {
    ...{ origin, secretKey, webhooks, faults, calls, account, journal: account.journal },
    ...controlsOf(account),
    async close() {
      await webhooks.settled();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

type Controls = Pick<
  StripeWorld,
  | 'buyer'
  | 'saveCard'
  | 'detachCard'
  | 'deleteCustomer'
  | 'settle'
  | 'refund'
  | 'failRefund'
  | 'dispute'
  | 'closeDispute'
>;

function controlsOf(account: Account): Controls {
  return {
    buyer(id, action, card = 'ok') {
      const { status, success_url } = act(account, id, action, card);
      return status === 'complete'
        ? success_url.replaceAll('{CHECKOUT_SESSION_ID}', id)
        : `${account.origin}/c/pay/${id}`;
    },
    saveCard(behaviour) {
      const customer = createCustomer(account, null).id;
      return { customer, card: addCard(account, { behaviour, customer }).id };
    },
    detachCard: (card) => void detachCard(account, card),
    deleteCustomer: (customer) => void deleteCustomer(account, customer),
    settle: (id, outcome) => settleDelayed(account, id, outcome),
    refund: (id, cents) => refund(account, id, cents ?? null).id,
    failRefund: (id) => void failRefund(account, id),
    dispute: (id, status) => openDispute(account, id, status).id,
    closeDispute: (id, outcome) => void closeDispute(account, id, outcome),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk);
    if (body.length > CALL_CHARS_MAX) throw new Error('the call is too long');
  }
  return body;
}

function showPage(account: Account, asked: Parameters<typeof hostedPage>[1]): ReturnType<typeof hostedPage> {
  try {
    return hostedPage(account, asked);
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    return { status: error.status, html: error.message };
  }
}

function sendPage(
  response: ServerResponse,
  page: { status: number; location?: string; html?: string },
): void {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  response.writeHead(page.status, page.location === undefined ? headers : { location: page.location });
  response.end(page.html ?? '');
}

function sendAnswer(
  response: ServerResponse,
  { status, body, replayed }: ApiAnswer,
  { fault, number }: { fault: Fault | null; number: number },
): void {
  if (fault === 'drop') return void response.socket?.destroy();
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'request-id': `req_played${number}`,
    'stripe-version': API_VERSION,
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
    // The same answer would be repeated.
    ...(status === 500 ? { 'stripe-should-retry': 'false' } : {}),
  });
  if (fault !== 'truncate') return void response.end(text);
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
}
