import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { PACKS } from '../../src/billing/ledger/prices.ts';
import { openLedgerStore } from '../../src/platform/store/ledger/open-ledger-store.ts';
import type { LedgerStore } from '../../src/platform/store/ledger/procedure.ts';
import { type FakeStripe, startStripe } from '../fixtures/stripe/fake-stripe.ts';
import type { FromProcess, ToProcess } from './payments-messages.ts';

export type ChaosReport = {
  kills: number;
  crashPointsMet: number;
  charges: number;
  checkouts: number;
  reloads: number;
  declines: number;
  calls: number;
};

const CALLS = [
  'openCheckout',
  'getCheckout',
  'prepareCharge',
  'confirmCharge',
  'getCharge',
  'cancelCharge',
  'findCharge',
];
const PROCEDURES = [
  ...['createCheckout', 'recordCheckoutOpened', 'fulfilCheckout', 'claimPurchase', 'recordPurchaseCharge'],
  ...['settlePurchase', 'settleHold', 'holdCredits', 'keepEvent', 'recordEventTried'],
  'releasePurchase',
];
/** The points at which a process can die: before and after each provider call and each write. */
const CRASH_POINTS = [...CALLS, ...PROCEDURES].flatMap((name) => [`before ${name}`, `after ${name}`]);
const FAULTS = ['refuse', 'drop', 'truncate', 'throttle', 'fail', 'fail-after'] as const;
/** Checkouts opened by a process that dies at a random time, and by one that should reach a crash point. */
const LIFE_SOLD = 2;
const LIFE_TO_POINT_SOLD = 6;
/** Ends a process that opens no checkouts any more. */
const LIFE_MS_MAX = 30_000;
/** Long enough for a lease to run out between two processes, too short for an idempotency key. */
const BETWEEN_LIVES_MS = 250_000;
/** The last rounds advance the clock as before, then by the hour: the provider retries refused messages for three days. */
const USUAL_ROUNDS = 20;
const HOUR_MS = 3_600_000;
const ROUNDS_MAX = 100;
const SECRET = 'whsec_simulated';

/** Starts and kills `kills` processes, lets a last one finish, and compares the ledger with the provider's journal. */
export async function paymentsChaos(wanted: {
  databaseUrl: string | null;
  kills: number;
  seed: number;
}): Promise<ChaosReport> {
  const random = seeded(wanted.seed);
  const choose = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let offset = 0;
  const clock = { now: () => Date.now() + offset };
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-chaos-'));
  const stripe = await startStripe({ clock });
  let crashPointsMet = 0;
  try {
    for (let kill = 0; kill < wanted.kills; kill++) {
      misbehave(stripe, { random, choose });
      // One in four dies at a random time, the others at a crash point.
      const crashAt = random() < 0.25 ? '' : `${choose(CRASH_POINTS)}#${1 + Math.floor(random() * 4)}`;
      const life = start({
        ...wanted,
        dataDir,
        stripe,
        offset,
        seed: wanted.seed + kill,
        crashAt,
        work: true,
      });
      const soldMax = crashAt === '' ? LIFE_SOLD : LIFE_TO_POINT_SOLD;
      if (await liveAndDie(life, soldMax, { stripe, random, choose })) crashPointsMet += 1;
      offset += BETWEEN_LIVES_MS;
    }
    stripe.faults.clear();
    stripe.webhooks.rules({ drop: () => false, copies: 2, delayMs: 0, order: { seed: 7 } });
    const last = start({ ...wanted, dataDir, stripe, offset, seed: 1, crashAt: '', work: false });
    try {
      await letFinish(last, stripe, (ms) => {
        offset += ms;
        return offset;
      });
    } finally {
      await kill(last.child);
    }
    const ledgerStore = await openLedgerStore({ dataDir, databaseUrl: wanted.databaseUrl });
    try {
      return { kills: wanted.kills, crashPointsMet, ...(await compare(ledgerStore, stripe)) };
    } finally {
      await ledgerStore.close();
    }
  } finally {
    await stripe.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Chance = { random(): number; choose<T>(list: readonly T[]): T };

/** Makes messages arrive repeatedly, late, shuffled or never, and calls fail before or after they take effect. */
function misbehave({ webhooks, faults }: FakeStripe, { random, choose }: Chance): void {
  webhooks.rules({
    drop: () => random() < 0.25,
    copies: 1 + Math.floor(random() * 3),
    delayMs: choose([0, 0, 50, 200_000]),
    order: choose(['kept', 'reversed', { seed: Math.floor(random() * 1_000) }] as const),
  });
  faults.clear();
  for (let count = 0; count < 3; count++)
    faults.inject(choose([/payment_intents/, /confirm/, /checkout/, /./]), choose(FAULTS));
}

type Life = {
  child: ChildProcess;
  listening: Promise<string>;
  opened: string[];
  finished(): Promise<string[]>;
};

function start(how: {
  databaseUrl: string | null;
  dataDir: string;
  stripe: FakeStripe;
  offset: number;
  seed: number;
  crashAt: string;
  work: boolean;
}): Life {
  const child = fork(new URL('./payments-process.ts', import.meta.url), {
    env: {
      ...process.env,
      // Most of a short life would be spent on compiling.
      NODE_COMPILE_CACHE: join(how.dataDir, 'compiled'),
      DATA_DIR: how.dataDir,
      DATABASE_URL: how.databaseUrl ?? '',
      STRIPE_ORIGIN: how.stripe.origin,
      STRIPE_KEY: how.stripe.secretKey,
      STRIPE_SECRET: SECRET,
      CLOCK_OFFSET: String(how.offset),
      SEED: String(how.seed),
      CRASH_AT: how.crashAt,
      WORK: how.work ? 'yes' : 'no',
    },
  });
  const listening = Promise.withResolvers<string>();
  const opened: string[] = [];
  let finish = (_open: string[]): void => {};
  child.on('message', (message: FromProcess) => {
    if (message.kind === 'listening') listening.resolve(message.url);
    else if (message.kind === 'opened') opened.push(message.url);
    else finish(message.open);
  });
  child.once('exit', () => listening.resolve(''));
  return {
    child,
    listening: listening.promise,
    opened,
    finished: () =>
      new Promise((resolve, reject) => {
        finish = resolve;
        child.once('exit', (code) => reject(new Error(`the last process ended with ${code}`)));
        child.send({ kind: 'finish' } satisfies ToProcess);
      }),
  };
}

/** Delivers messages and acts for the buyers while the process runs. Returns whether it died at its crash point. */
async function liveAndDie(
  { child, listening, opened }: Life,
  soldMax: number,
  { stripe, ...chance }: Chance & { stripe: FakeStripe },
): Promise<boolean> {
  const url = await listening;
  stripe.webhooks.register({ url, secret: SECRET });
  const hung = AbortSignal.timeout(LIFE_MS_MAX);
  let sold = 0;
  while (child.exitCode === null && child.signalCode === null && sold < soldMax && !hung.aborted) {
    sold += opened.length;
    buy(opened, stripe, chance);
    await stripe.webhooks.deliver();
    await pause(10);
  }
  const diedByItself = child.signalCode === 'SIGKILL';
  assert.equal(child.exitCode, null, 'a process exited without being killed');
  await kill(child);
  return diedByItself;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function buy(opened: string[], stripe: FakeStripe, { random, choose }: Chance): void {
  for (const url of opened.splice(0)) {
    if (random() < 0.15) continue;
    const session = [...stripe.account.sessions.values()].find((one) => one.url === url);
    const card = choose(['ok', 'ok', 'ok', 'insufficient_funds', 'authentication_required'] as const);
    if (session !== undefined) stripe.buyer(session.id, 'pay', card);
  }
}

/** Advances the clock until nothing is open. */
async function letFinish(last: Life, stripe: FakeStripe, advance: (ms: number) => number): Promise<void> {
  stripe.webhooks.register({ url: await last.listening, secret: SECRET });
  let open: string[] = [];
  for (let round = 0; ; round++) {
    const waiting = stripe.webhooks.waiting();
    assert.ok(
      round < ROUNDS_MAX,
      `${waiting} messages wait, and these stay open: ${open.slice(0, 3).join()}`,
    );
    last.child.send({
      kind: 'clock',
      offset: advance(round < USUAL_ROUNDS ? BETWEEN_LIVES_MS : HOUR_MS),
    } satisfies ToProcess);
    await stripe.webhooks.deliver();
    open = await last.finished();
    last.child.removeAllListeners('exit');
    if (open.length === 0 && stripe.webhooks.waiting() === 0 && round > 3) break;
  }
}

/** Checks that each successful payment is credited once and nothing else is, that no cap is exceeded, and that the audit finds nothing. */
async function compare(
  ledgerStore: LedgerStore,
  stripe: FakeStripe,
): Promise<Omit<ChaosReport, 'kills' | 'crashPointsMet'>> {
  const { db } = ledgerStore;
  const entries = await db
    .selectFrom('entry')
    .selectAll()
    .where('kind', 'in', ['purchase', 'reload'])
    .execute();
  const charges = stripe.journal.filter(({ kind }) => kind === 'charge');
  const paid = charges.map(
    ({ metadata }) => Object.values(metadata).find((value) => /^(?:co|pur)_/.test(value)) ?? '?',
  );
  assert.deepEqual(entries.map(({ ref }) => ref).toSorted(), paid.toSorted(), 'credits and payments differ');
  for (const { delta } of entries) assert.equal(delta, PACKS.instant.credits);

  const purchases = await db.selectFrom('purchase').selectAll().execute();
  const succeeded = purchases.filter(({ state }) => state === 'succeeded');
  assert.deepEqual(
    succeeded.map(({ id }) => id).toSorted(),
    paid.filter((ref) => ref.startsWith('pur_')).toSorted(),
  );
  const accounts = await db.selectFrom('account').selectAll().execute();
  for (const { key_id, reload_cap_cents } of accounts) {
    const months = Map.groupBy(
      succeeded.filter((one) => one.key_id === key_id),
      ({ month }) => month,
    );
    for (const [month, bought] of months) {
      const cents = bought.reduce((sum, one) => sum + one.cents, 0);
      assert.ok(cents <= reload_cap_cents, `${key_id} spent ${cents} of ${reload_cap_cents} in ${month}`);
    }
  }
  for (const { key_id, state } of purchases.filter((one) => one.state === 'failed'))
    assert.ok(key_id !== '' && state === 'failed');
  assert.deepEqual(await createAudit({ ledgerStore })(), []);
  const calls = await db.selectFrom('entry').select('ref').where('kind', '=', 'usage').execute();
  return {
    charges: charges.length,
    checkouts: paid.filter((ref) => ref.startsWith('co_')).length,
    reloads: succeeded.length,
    declines: purchases.length - succeeded.length,
    calls: calls.length,
  };
}

function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
