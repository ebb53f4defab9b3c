import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Billing } from '../../../src/app/compose-billing.ts';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import type { LedgerTables } from '../../../src/platform/store/ledger/ledger-tables.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { NOON, withTraffic } from './audited-traffic.ts';
import { openLoosely } from './loose-ledger.ts';

await describeOnStores('the audit of many entries', (databaseUrl) => {
  let dataDir: string;
  let db: Kysely<LedgerTables>;
  before(async () => {
    ({ dataDir } = await withTraffic(databaseUrl));
    db = openLoosely(dataDir, databaseUrl);
  });
  after(async () => {
    await db.destroy();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('reads 100,000 entries that the planner has no statistics of', { timeout: 120_000 }, async () => {
    const many = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)';
    for (const statement of [
      "insert into api_key (id, hash, kind, state, hint, created_at) values ('busy', 'x', 'operator', 'active', 'sdl_', 1)",
      "insert into account (key_id, available, held, version) values ('busy', 1, 0, 100001)",
      `insert into entry (key_id, version, kind, contra, ref, delta, balance, at)
       values ('busy', 1, 'grant', 'grants', 'large', 100001, 100001, ${NOON})`,
      `${many} insert into hold (id, key_id, amount, used, state, expires_at)
       select 'call ' || i, 'busy', 1, 1, 'captured', ${NOON} from n`,
      `${many} insert into entry (key_id, version, kind, contra, ref, delta, balance, at)
       select 'busy', i + 1, 'usage', 'revenue', 'call ' || i, -1, 100001 - i, ${NOON} from n`,
      "insert into usage_day (key_id, day, credits) values ('busy', '2026-11-21', 100000)",
    ])
      await sql.raw(statement).execute(db);
    const dialect = databaseUrl === null ? 'sqlite' : 'postgres';
    const snapshot: Billing['ledgerStore']['snapshot'] = (read) => db.transaction().execute(read);
    assert.deepEqual(
      await createAudit({ ledgerStore: { dialect, snapshot, findDamage: async () => [] } })(),
      [],
    );
  });
});
