import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createLog } from '../../src/platform/log.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { ledgerCommands, type Model } from './ledger-commands.ts';
import { ask, keptBy, readKept } from './ledger-store-under-test.ts';
import { carryOut, referenceLedger } from './reference-ledger.ts';

/** `npm run simulate:ledger` makes 2,000. A failure prints its seed; set `SEED` to repeat it. */
const RUNS = Number(process.env.SIMULATION_RUNS ?? 150);
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };
const KEYS = 2;
const COMMANDS_MAX = 25;
const FIRST_CREDITS = 20;
const NOON = Date.parse('2026-11-21T12:00:00Z');

await describeOnStores(`the ledger against its reference, ${RUNS} runs`, (databaseUrl) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-model-'));
  let billing: Billing;
  before(async () => {
    billing = await createBilling(
      { dataDir, databaseUrl: withoutFlushes(databaseUrl) },
      {
        log: createLog('silent'),
      },
    );
  });
  after(async () => {
    await billing.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('gives the results of the reference, for operations in sequence or at once', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.commands(ledgerCommands, { maxCommands: COMMANDS_MAX, size: 'max' }),
        async (commands) => {
          runs += 1;
          const model = await freshModel(billing, `run ${runs}`);
          try {
            await fc.asyncModelRun(() => ({ model, real: billing }), commands);
            await endOpenHolds(billing, model);
          } finally {
            // Holds left open by a failed run would also fail every shrunk run.
            await billing.ledger.expire(NOON * 3);
          }
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
    assert.deepEqual(await createAudit(billing)(), []);
  });
});

/** Issues keys for one run, so that all runs can share a database. */
async function freshModel({ keys }: Billing, run: string): Promise<Model> {
  const issued = await Promise.all(
    Array.from({ length: KEYS }, () => keys.create({ credits: FIRST_CREDITS, label: run })),
  );
  const accounts = issued.map(({ keyId }) => ({
    keyId,
    moves: [{ kind: 'grant', ref: `issue:${keyId}`, delta: FIRST_CREDITS } as const],
  }));
  return { run, reference: referenceLedger(accounts), lastHold: 0, now: NOON };
}

/** Expires every open hold; then no credits are held. */
async function endOpenHolds(billing: Billing, { reference }: Model): Promise<void> {
  const late = { kind: 'expire', now: NOON * 2 } as const;
  assert.equal(await ask(billing, late), carryOut(reference, late));
  const kept = await readKept(billing, [...reference.accounts.keys()]);
  assert.deepEqual(kept, keptBy(reference));
  for (const { held } of kept.accounts) assert.equal(held, 0);
}

/** Turns off flushes on PostgreSQL: they would dominate the run time, and nothing tested here depends on them. */
function withoutFlushes(databaseUrl: string | null): string | null {
  return databaseUrl === null ? null : `${databaseUrl}?options=-c%20synchronous_commit%3Doff`;
}
