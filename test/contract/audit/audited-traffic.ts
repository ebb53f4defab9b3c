import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBilling } from '../../../src/app/compose-billing.ts';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { createLog } from '../../../src/platform/log.ts';

const DAY_MS = 86_400_000;
/** When the calls of the traffic were made. */
export const NOON = Date.parse('2026-11-21T12:00:00Z');

/** A free and an operator's key, each with a hold in every state and one refund on the next day. */
export async function withTraffic(databaseUrl: string | null): Promise<{ dataDir: string; free: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-audit-'));
  let now = NOON;
  const billing = await createBilling(
    { dataDir, databaseUrl },
    { log: createLog('silent'), clock: { now: () => now } },
  );
  const { ledger, keys } = billing;
  const free = (await keys.claimFree('203.0.113.9')).keyId;
  const own = (await keys.create({ credits: 100, label: 'own' })).keyId;
  await keys.create({ credits: 0, label: 'empty' });
  await keys.grant({ keyId: own, credits: 50, ref: 'invoice 7' });
  for (const keyId of [free, own]) {
    for (const name of ['whole', 'part', 'none', 'back', 'open']) {
      await ledger.hold({ id: `${name} ${keyId}`, keyId, amount: 3, expiresAt: now + 60_000 });
    }
    await ledger.settle({ id: `whole ${keyId}`, used: 3, at: now });
    await ledger.settle({ id: `part ${keyId}`, used: 2, at: now });
    await ledger.settle({ id: `none ${keyId}`, used: 0, at: now });
    await ledger.settle({ id: `back ${keyId}`, used: 1, at: now });
  }
  now += DAY_MS;
  for (const keyId of [free, own]) await ledger.refund({ id: `back ${keyId}`, at: now });
  assert.deepEqual(await createAudit(billing)(), []);
  await billing.close();
  return { dataDir, free };
}
