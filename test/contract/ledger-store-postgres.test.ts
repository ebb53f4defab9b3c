import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createAllowance } from '../../src/billing/ledger/allowance.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { openLedgerStore } from '../../src/platform/store/ledger/open-ledger-store.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';

/** More than the books keep open. */
const CONNECTIONS = 12;
/** Within the 10 s after which a connection that was left over ends by itself. */
const CLOSING_MS_MAX = 9_000;
const LATER = Date.parse('2030-01-01T00:00:00Z');

let billing: Billing;
let keyId: string;
let nextHold = 0;

const database = await createTestDatabase();

describe('a PostgreSQL that ends its connections', { skip: database === null ? noServer : false }, () => {
  before(async () => {
    billing = await createBilling(
      { dataDir: '/nowhere', databaseUrl: database?.url ?? '' },
      {
        log: createLog('silent'),
      },
    );
    keyId = (await billing.keys.create({ credits: 1_000, label: null })).keyId;
  });
  after(async () => {
    await billing.close();
    await database?.drop();
  });

  test('idle: the next calls open new ones', async () => {
    await Promise.all(Array.from({ length: 8 }, holdOne));
    await endConnections();
    assert.equal((await again(holdOne)).amount, 1);
    await soundLedger();
  });

  test('between two statements of a transaction: it fails, the process lives, nothing is left of it', async () => {
    const before = await billing.ledger.available(keyId);
    const broken = billing.ledgerStore.snapshot(async (db) => {
      await sql`select 1`.execute(db);
      await endConnections();
      await sql`select 1`.execute(db);
    });
    await assert.rejects(broken);
    assert.equal(await again(() => billing.ledger.available(keyId)), before);
    await soundLedger();
  });

  test('closing leaves no connection open, those of single statements included', {
    timeout: CLOSING_MS_MAX,
  }, async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    const ledgerStore = await openLedgerStore({ dataDir: '/nowhere', databaseUrl: database?.url ?? '' });
    await createAllowance({ ledgerStore, clock: systemClock }).count('198.51.100.9');
    assert.ok(sockets() > before);
    await ledgerStore.close();
    // The server takes its time to hang up.
    while (sockets() > before) await setTimeout(10);
  });

  test('while calls are under way: each has happened whole or not at all', async () => {
    const calls = Array.from({ length: 60 }, (_, place) => (place % 10 === 0 ? grantOne(place) : holdOne()));
    await Promise.allSettled([...calls, endConnections()]);
    await soundLedger();
    await billing.ledger.expire(LATER + 1);
    await soundLedger();
  });
});

function holdOne(): ReturnType<Billing['ledger']['hold']> {
  nextHold += 1;
  return billing.ledger.hold({ id: `hold ${nextHold}`, keyId, amount: 1, expiresAt: LATER });
}

function grantOne(place: number): Promise<unknown> {
  return billing.keys.grant({ keyId, credits: 5, ref: `grant ${place}` });
}

/** A connection that was ended may be noticed only by the one who uses it next. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries > CONNECTIONS) throw error;
    }
  }
}

async function soundLedger(): Promise<void> {
  assert.deepEqual(await again(createAudit(billing)), []);
}

/** Ends all connections to the test's own database, from outside. */
async function endConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: database?.url ?? '' });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}
