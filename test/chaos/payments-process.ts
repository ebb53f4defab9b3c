import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createPayments } from '../../src/app/compose-payments.ts';
import type { PaymentProvider } from '../../src/billing/payments/providers/payment-provider.ts';
import { createStripe } from '../../src/billing/payments/providers/stripe.ts';
import { Failure } from '../../src/contract/errors.ts';
import { createApp } from '../../src/http/server/app.ts';
import { createDraining, listen } from '../../src/http/server/connections.ts';
import { createLog } from '../../src/platform/log.ts';
import { unscriptedDeps } from '../unscripted.ts';
import type { FromProcess, ToProcess } from './payments-messages.ts';

/** A server process of the simulation: spends, sells and reloads until it is killed, or dies at its crash point. */
const settings = process.env;
let offset = Number(settings.CLOCK_OFFSET);
const clock = { now: () => Date.now() + offset };
const random = seeded(Number(settings.SEED));
const [crashName = '', crashNth = '1'] = (settings.CRASH_AT ?? '').split('#');
let met = 0;

/** Kills the process when it has reached its crash point for the given time. */
function crashPoint(name: string): void {
  if (name !== crashName) return;
  met += 1;
  if (met === Number(crashNth)) process.kill(process.pid, 'SIGKILL');
}

/** Adds a crash point before and after every call. */
function withCrashPoints(provider: PaymentProvider): PaymentProvider {
  return new Proxy(provider, {
    get(target, name: keyof PaymentProvider) {
      const call = target[name];
      if (typeof call !== 'function') return call;
      return async (...args: never[]) => {
        crashPoint(`before ${name}`);
        // The proxy forwards its arguments unchanged.
        const answer = await (call as (...args: never[]) => unknown)(...args);
        crashPoint(`after ${name}`);
        return answer;
      };
    },
  });
}

const dataDir = settings.DATA_DIR ?? '';
const log = createLog('silent');
const billing = await createBilling({ dataDir, databaseUrl: settings.DATABASE_URL || null }, { log, clock });
const { run } = billing.ledgerStore;
billing.ledgerStore.run = async (procedure, args) => {
  crashPoint(`before ${procedure.name}`);
  const result = await run(procedure, args);
  crashPoint(`after ${procedure.name}`);
  return result;
};
const stripe = createStripe(
  {
    secretKey: settings.STRIPE_KEY ?? '',
    webhookSecrets: [settings.STRIPE_SECRET ?? ''],
    apiBase: settings.STRIPE_ORIGIN ?? '',
    clock,
  },
  { timeoutMs: 1_000, retries: 0 },
);
// Events are read synchronously, so that reading one has no crash points.
const provider = { ...withCrashPoints(stripe), readEvent: stripe.readEvent, name: stripe.name };
for (const name of Object.keys(stripe) as (keyof PaymentProvider)[])
  if (name !== 'readEvent' && name !== 'name')
    Object.assign(provider, { [name]: withCrashPoints(stripe)[name] });
const siteUrl = (): string => 'http://site.example.org';
const payments = createPayments({ dataDir, appSecret: null }, billing, { provider, clock, log, siteUrl });
const draining = createDraining();
const app = await createApp({ ...unscriptedDeps(), ...billing, ...payments, clock, draining });
const listening = await listen(app, { host: '127.0.0.1', port: 0, draining });

const send = (message: FromProcess): void => void process.send?.(message);
const finished = Promise.withResolvers<void>();
process.on('message', (message: ToProcess) => {
  if (message.kind === 'clock') offset = message.offset;
  else void finish().then(finished.resolve, finished.reject);
});
// A process that is killed leaves nothing for the next one to start with.
flushCompileCache();
send({ kind: 'listening', url: `${listening.address}/webhooks/stripe` });

await payments.reconciler.resumeOpen();
if (settings.WORK === 'yes') await Promise.all([spend(), spend(), spend(), sell()]);
else await finished.promise;

/** Makes calls on random keys, each so expensive that a pack does not last long. */
async function spend(): Promise<never> {
  for (;;) {
    const keys = await billing.ledgerStore.db.selectFrom('api_key').select('id').execute();
    const key = keys[Math.floor(random() * keys.length)];
    if (key !== undefined) await spendOn(key.id, `${process.pid} ${clock.now()} ${random()}`);
    await pause(1);
  }
}

async function spendOn(keyId: string, requestId: string): Promise<void> {
  const charge = await billing.meter.beginCharge({ kind: 'key', keyId }, requestId);
  try {
    await charge.hold({ credits: 4_000, ms: 1_000 });
    if (random() < 0.1) await charge.refund();
    else await charge.settle(Math.floor(random() * 4_000));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await charge.refund();
  }
}

/** Opens checkouts, and fulfils those that were paid. */
async function sell(): Promise<never> {
  for (;;) {
    try {
      const { url } = await payments.checkouts.open({
        pack: 'instant',
        topUp: null,
        autoReload: {
          threshold: 1_000 + Math.floor(random() * 20_000),
          pack: 'instant',
          capCents: random() < 0.3 ? 4_500 : 50_000,
        },
      });
      send({ kind: 'opened', url });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    await pause(50);
    const paid = await billing.ledgerStore.db
      .selectFrom('checkout')
      .select('provider_id')
      .where('state', '!=', 'fulfilled')
      .where('provider_id', 'is not', null)
      .limit(3)
      .execute();
    for (const { provider_id } of paid) await payments.checkouts.fulfil(provider_id ?? '').catch(() => {});
  }
}

/** Reconciles with the provider and reports what is still open. */
async function finish(): Promise<void> {
  await payments.reconciler.askProvider();
  await billing.ledger.expire(clock.now());
  await billing.background.drain();
  const { db } = billing.ledgerStore;
  const purchases = await db
    .selectFrom('purchase')
    .selectAll()
    .where('state', 'in', ['created', 'processing'])
    .execute();
  const held = await db.selectFrom('hold').selectAll().where('state', '=', 'held').execute();
  send({ kind: 'finished', open: [...purchases, ...held].map((row) => JSON.stringify(row)) });
}

function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
