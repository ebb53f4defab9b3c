import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Kysely } from 'kysely';
import { FINDINGS_MAX, type Finding } from '../../../src/billing/audit/audit.ts';
import type { LedgerTables } from '../../../src/platform/store/ledger/ledger-tables.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { withTraffic } from './audited-traffic.ts';
import { auditOfBroken, loosen, openLoosely } from './loose-ledger.ts';

/** How the free key (FREE) is damaged, and what the audit finds then. */
const BREAKS: [invariant: string, name: string, statement: string, found: (RegExp | string)[]][] = [
  [
    'I1',
    'an entry is gone',
    "delete from entry where key_id = 'FREE' and version = 2",
    [
      'I1 entry 3 follows entry 1, expected 2',
      'I1 entry 3 (usage part FREE) moves -2 from 2500: expected balance 2498, found 2495',
      'I1 the account counts 5 entries, found 4',
      'I4 the hold whole FREE is captured with 3 used: expected a charge of 3 and no refund, found no charge and no refund',
      'days 2026-11-21 counts 5 credits used, its entries add up to 2',
    ],
  ],
  [
    'I1',
    'the first entry is not the first',
    "update entry set version = 9 where key_id = 'FREE' and version = 1",
    [
      /^I1 the first entry is number 2, expected 1$/,
      /^I1 entry 9 follows entry 5/,
      /^I1 entry 2 /,
      /^I1 entry 9 /,
      /^I1 the last entry \(9\) has balance 2500/,
      /^I5 entry 9 grants 2500 credits as issue:FREE, which is reserved/,
      /^I5 the account has .* no first entry/,
    ],
  ],
  [
    'I1',
    'a balance is wrong in the middle',
    "update entry set balance = balance + 7 where key_id = 'FREE' and version = 3",
    [
      'I1 entry 3 (usage part FREE) moves -2 from 2497: expected balance 2495, found 2502',
      'I1 entry 4 (usage back FREE) moves -1 from 2502: expected balance 2501, found 2494',
    ],
  ],
  [
    'I1',
    'an account has more than its entries say',
    "update account set available = available + 1 where key_id = 'FREE'",
    ['I1 the last entry (5) has balance 2495; the account has 2493 available and 3 held, together 2496'],
  ],
  [
    'I1',
    'an account counts one entry too many',
    "update account set version = 6 where key_id = 'FREE'",
    ['I1 the account counts 6 entries, found 5'],
  ],
  [
    'I2',
    'credits are held for nothing',
    "update account set held = held + 2, available = available - 2 where key_id = 'FREE'",
    ['I2 the account holds 5, its open holds add up to 3'],
  ],
  [
    'I2',
    'an open hold is gone',
    "delete from hold where id = 'open FREE'",
    ['I2 the account holds 3, its open holds add up to 0'],
  ],
  [
    'I2',
    'an open hold belongs to no key',
    "insert into hold (id, key_id, amount, used, state, expires_at) values ('stray', 'key_gone', 4, 0, 'held', 1)",
    ['I2 the open hold stray of 4 belongs to a key without an account'],
  ],
  [
    'I3',
    'an account is negative',
    "update account set available = -1, held = 2496 where key_id = 'FREE'",
    [/^I2 /, 'I3 the account has -1 available and 2496 held'],
  ],
  [
    'I3',
    'a balance is negative',
    "update entry set balance = -5 where key_id = 'FREE' and version = 3",
    [/^I1 /, /^I1 /, 'I3 entry 3 leaves a balance of -5'],
  ],
  [
    'I3',
    'a hold used more than it held',
    "update hold set amount = 2 where id = 'whole FREE'",
    ['I3 the hold whole FREE of 2 has 3 used'],
  ],
  [
    'I3',
    'a day is negative',
    "update usage_day set credits = -5 where key_id = 'FREE'",
    ['I3 the usage of 2026-11-21 is -5', 'days 2026-11-21 counts -5 credits used, its entries add up to 5'],
  ],
  [
    'I4',
    'a hold is charged twice',
    `insert into entry (key_id, version, kind, contra, ref, delta, balance, at, entries)
     select key_id, 6, kind, contra, ref, delta, 2492, at, 1 from entry where ref = 'whole FREE';
     update account set version = 6, available = available - 3 where key_id = 'FREE';
     update usage_day set credits = credits + 3 where key_id = 'FREE'`,
    ['I4 the usage whole FREE has 2 entries, -6 credits in total; expected one'],
  ],
  [
    'I4',
    'a hold and its entry differ',
    "update hold set used = 1 where id = 'part FREE'",
    [
      'I4 the hold part FREE is captured with 1 used: expected a charge of 1 and no refund, found a charge of 2 and no refund',
    ],
  ],
  [
    'I4',
    'a captured hold was refunded',
    "update hold set state = 'captured' where id = 'back FREE'",
    [
      'I4 the hold back FREE is captured with 1 used: expected a charge of 1 and no refund, found a charge of 1 and a refund of 1',
    ],
  ],
  [
    'I4',
    'a refunded hold was not',
    "update hold set state = 'refunded' where id = 'whole FREE'",
    [
      'I4 the hold whole FREE is refunded with 3 used: expected a charge of 3 and a refund of 3, found a charge of 3 and no refund',
    ],
  ],
  [
    'I4',
    'a hold is in an unknown state',
    "update hold set state = 'lost' where id = 'whole FREE'",
    ['I4 the hold whole FREE is lost with 3 used: there is no such state'],
  ],
  [
    'I4',
    'a charge without a hold',
    "delete from hold where id = 'part FREE'",
    ['I4 entry 3 (usage, -2) is for the hold part FREE, which this key never had'],
  ],
  [
    'I4',
    "a charge of another key's hold",
    "update hold set key_id = (select id from api_key where label = 'empty') where id = 'part FREE'",
    [
      /^I4 the hold part FREE .*found no charge and no refund$/,
      /^I4 entry 3 \(usage, -2\) is for the hold part FREE/,
    ],
  ],
  [
    'I5',
    'credits of an unknown kind',
    `insert into entry (key_id, version, kind, contra, ref, delta, balance, at, entries) values ('FREE', 6, 'bonus', 'grants', 'x', 500, 2995, 1, 1);
     update account set version = 6, available = available + 500 where key_id = 'FREE'`,
    ['I5 entry 6 moves 500 as bonus against grants, which is not allowed'],
  ],
  [
    'I5',
    'a grant counts twice',
    `insert into entry (key_id, version, kind, contra, ref, delta, balance, at, entries) values ('FREE', 6, 'grant', 'grants', 'invoice 7', 50, 2545, 1, 1);
     update account set version = 6, available = available + 50 where key_id = 'FREE'`,
    ['I5 the grant invoice 7 has 2 entries, 100 credits in total; expected one'],
  ],
  [
    'I5',
    'a grant without a reference',
    "update entry set ref = '' where ref = 'invoice 7'",
    ['I5 entry 2 grants 50 credits without a reference'],
  ],
  [
    'I5',
    'a free key begins with too many credits',
    `update entry set delta = case when version = 1 then 9500 else delta end, balance = balance + 7000 where key_id = 'FREE';
     update account set available = available + 7000 where key_id = 'FREE'`,
    ['I5 a free key begins with one grant of 2500, found 9500'],
  ],
  [
    'I5',
    'a free key begins with a grant of another reference',
    "update entry set ref = 'gift' where key_id = 'FREE' and version = 1",
    ['I5 a free key begins with one grant of 2500, found none'],
  ],
  [
    'I5',
    'credits without an entry',
    "update account set available = 9 where key_id = (select id from api_key where label = 'empty')",
    ['I5 the account has 9 available and 0 held, but no first entry'],
  ],
  [
    'I5',
    'a key without an account',
    "delete from account where key_id = (select id from api_key where label = 'empty')",
    [/^I5 the operator key sdl_\S+… has no account$/],
  ],
  [
    'I5',
    'an account without a key',
    "delete from api_key where label = 'empty'",
    ['I5 an account with 0 available and 0 held belongs to no key'],
  ],
  [
    'I5',
    'entries without an account',
    "delete from account where key_id = 'FREE'",
    [/^I2 /, /^I5 the free key sdl_\S+… has no account$/, 'I5 5 entries (2495 credits) belong to no account'],
  ],
  [
    'I5',
    'credits are frozen without a dispute',
    "update account set disputed = 5 where key_id = 'FREE'",
    ['I5 disputed payments gave 0 credits, but 5 are frozen'],
  ],
  [
    'I9',
    'a voided hold was charged',
    "update hold set state = 'voided' where id = 'whole FREE'",
    [
      'I9 the hold whole FREE is voided with 3 used: expected 0 used and no entries, found a charge of 3 and no refund',
    ],
  ],
  [
    'days',
    'a day counts too much',
    "update usage_day set credits = credits + 1 where key_id = 'FREE'",
    ['days 2026-11-21 counts 6 credits used, its entries add up to 5'],
  ],
  [
    'days',
    'a refund counts for its own day',
    `update usage_day set credits = credits + 1 where key_id = 'FREE';
     insert into usage_day (key_id, day, credits) values ('FREE', '2026-11-22', 0)`,
    ['days 2026-11-21 counts 6 credits used, its entries add up to 5'],
  ],
];

await describeOnStores('the audit', (databaseUrl) => {
  let store: Awaited<ReturnType<typeof withTraffic>>;
  let db: Kysely<LedgerTables>;
  const dialect = databaseUrl === null ? 'sqlite' : 'postgres';

  before(async () => {
    store = await withTraffic(databaseUrl);
    db = openLoosely(store.dataDir, databaseUrl);
    await loosen(db);
  });
  after(async () => {
    await db.destroy();
    rmSync(store.dataDir, { recursive: true, force: true });
  });

  const auditAfter = (statements: string): Promise<Finding[]> => auditOfBroken(db, dialect, statements);

  test('finds nothing in a consistent store', async () => {
    assert.deepEqual(await auditAfter('select 1'), []);
  });

  for (const [invariant, name, statement, found] of BREAKS) {
    test(`${invariant}: ${name}`, async () => {
      const findings = await auditAfter(statement.replaceAll('FREE', store.free));
      const said = findings.map((finding) => `${finding.invariant} ${finding.text}`);
      assert.equal(said.length, found.length, said.join('\n'));
      for (const [place, text] of found.entries()) {
        const one = (said[place] ?? '').replaceAll(store.free, 'FREE');
        if (typeof text === 'string') assert.equal(one, text);
        else assert.match(one, text);
      }
      assert.ok(findings.every(({ keyId }) => keyId !== null));
    });
  }

  test('lists the first of many and counts the rest', async () => {
    const findings = await auditAfter(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 75)
       insert into usage_day (key_id, day, credits) select '${store.free}', 'day ' || i, i from n`,
    );
    assert.equal(findings.length, FINDINGS_MAX + 1);
    assert.deepEqual(findings.at(-1), { invariant: 'days', keyId: null, text: 'and 55 more' });
  });
});
