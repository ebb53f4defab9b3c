import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { type OpenBilling, openBilling } from '../contract/open-billing.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import type { RollingTask } from './rolling-process.ts';
import { killAgainAndAgain } from './workload/killed-processes.ts';

const ROLLING = resolve(import.meta.dirname, 'rolling-process.ts');
const KILLS = 4;
const SECONDS_MAX = 120;
const CHARGES_A_DAY = 150;
const DAYS = 3;
const CREDITS = 1_000;

await describeOnStores('processes that roll old charges and are killed, again and again', (databaseUrl) => {
  let billing: OpenBilling;
  let keyId: string;
  before(async () => {
    billing = await openBilling(databaseUrl);
    ({ keyId } = await billing.keys.create({ credits: CREDITS, label: null }));
    for (let day = 0; day < DAYS; day++) {
      for (let call = 0; call < CHARGES_A_DAY; call++) {
        const id = `call ${day} ${call}`;
        await billing.ledger.hold({ id, keyId, amount: 2, expiresAt: billing.clock.now() + 20_000 });
        await billing.ledger.settle({ id, used: 1, at: billing.clock.now() });
      }
      billing.clock.add(DAY_MS);
    }
    billing.clock.add(90 * DAY_MS);
  });
  after(() => billing.close());

  test('lose nothing and count nothing twice', async () => {
    const task: RollingTask = { dataDir: billing.dataDir, databaseUrl, now: billing.clock.now() };
    const steps: number[] = [];
    const kills = await killAgainAndAgain({
      command(place) {
        steps[place] = 0;
        return { args: [ROLLING, JSON.stringify(task)] };
      },
      processes: databaseUrl === null ? 1 : 2,
      everyMs: 30,
      seconds: SECONDS_MAX,
      kills: KILLS,
      answersMax: 40,
      done: (place) => steps[place] ?? 0,
      onLine(_, place) {
        steps[place] = (steps[place] ?? 0) + 1;
      },
    });
    assert.equal(kills, KILLS);
    assert.deepEqual(await createAudit(billing)(), []);
    await billing.retention.run();
    assert.deepEqual(await createAudit(billing)(), []);
    assert.equal(await billing.ledger.available(keyId), CREDITS - DAYS * CHARGES_A_DAY);
    const rolled = await billing.ledgerStore.db
      .selectFrom('entry')
      .select(['delta', 'entries'])
      .where('kind', '=', 'rolled')
      .execute();
    assert.deepEqual(
      rolled.map((row) => ({ ...row })),
      Array.from({ length: DAYS }, () => ({ delta: -CHARGES_A_DAY, entries: CHARGES_A_DAY })),
    );
  });
});
