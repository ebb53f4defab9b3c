import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DETAIL_DAYS } from '../../../src/app/config.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { auditOfBroken, loosen, openLoosely } from '../audit/loose-ledger.ts';
import { type OpenBilling, openBilling } from '../open-billing.ts';

/** How a rolled entry of FREE is tampered with, and what the audit finds first. */
const TAMPERED: [name: string, statement: string, found: RegExp][] = [
  [
    'its charge',
    "update entry set delta = delta + 1 where kind = 'rolled'",
    /^I1 entry 4 \(rolled KEY:2\) moves -5 from 1000/,
  ],
  [
    'its balance',
    "update entry set balance = balance + 1 where kind = 'rolled'",
    /^I1 entry 4 .* expected balance/,
  ],
  [
    'its charge and every later balance',
    `update entry set delta = delta + 1 where kind = 'rolled'; update entry set balance = balance + 1 where version >= 4;
     update account set available = available + 1`,
    /^days 2026-11-21 counts 6 credits used, its entries add up to 5$/,
  ],
  ['its day', "update entry set at = at - 86400000 where kind = 'rolled'", /^days 2026-11-20 counts 0/],
  ['its instant', "update entry set at = at + 1 where kind = 'rolled'", /^rolled entry 4 .* no whole day/],
  [
    'its number of charges',
    "update entry set entries = 2 where kind = 'rolled'",
    /^I1 entry 4 follows entry 1, expected 3$/,
  ],
  [
    'its reference',
    "update entry set ref = 'other' where kind = 'rolled'",
    /^rolled entry 4 \(other, -6\) cannot stand for 3/,
  ],
  [
    'its contra account',
    "update entry set contra = 'grants' where kind = 'rolled'",
    /^I5 entry 4 moves -6 as rolled against grants/,
  ],
  ['its existence', "delete from entry where kind = 'rolled'", /^I1 entry 5 follows entry 1, expected 2$/],
  [
    'a young charge, passed off as rolled',
    "update entry set kind = 'rolled', ref = key_id || ':' || version, at = at - at % 86400000 where version = 7",
    /^I4 the hold .* found no charge/,
  ],
  [
    'a grant, passed off as several',
    'update entry set entries = 2 where version = 5',
    /^I1 entry 5 follows entry 4, expected 6$/,
  ],
  [
    'a charge whose hold is gone too early',
    'delete from hold',
    /^I4 entry 7 \(usage, -2\) is for the hold .*never had/,
  ],
  ['the charge of a refund', "update entry set delta = 3 where kind = 'refund'", /^I1 entry 9/],
  ['the horizon', 'delete from horizon', /^I4 |^rolled entry 4/],
];

await describeOnStores('the audit of a rolled ledger', (databaseUrl) => {
  let billing: OpenBilling;
  let keyId: string;
  let db: ReturnType<typeof openLoosely>;
  before(async () => {
    billing = await openBilling(databaseUrl);
    const { ledger, keys, clock } = billing;
    ({ keyId } = await keys.create({ credits: 1_000, label: null }));
    const charge = async (name: string, used: number): Promise<void> => {
      await ledger.hold({ id: `${name}`, keyId, amount: used, expiresAt: clock.now() + 20_000 });
      await ledger.settle({ id: `${name}`, used, at: clock.now() });
    };
    for (const used of [1, 2, 3]) await charge(`old ${used}`, used);
    await keys.grant({ keyId, credits: 7, ref: 'invoice' });
    clock.add((DETAIL_DAYS + 1) * DAY_MS);
    await charge('late', 1);
    await billing.retention.run();
    await charge('young', 2);
    await charge('back', 2);
    await ledger.refund({ id: 'back', at: clock.now() });
    db = openLoosely(billing.dataDir, databaseUrl);
    await loosen(db);
  });
  after(async () => {
    await db.destroy();
    await billing.close();
  });

  for (const [name, statement, found] of TAMPERED)
    test(`finds a change of ${name}`, async () => {
      const findings = await auditOfBroken(db, databaseUrl === null ? 'sqlite' : 'postgres', statement);
      const said = findings.map(({ invariant, text }) => `${invariant} ${text}`.replaceAll(keyId, 'KEY'));
      assert.ok(
        said.some((line) => found.test(line)),
        said.join('\n') || 'nothing was found',
      );
    });
});
