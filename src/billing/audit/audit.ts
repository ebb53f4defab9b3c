import { type Kysely, sql } from 'kysely';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import type { LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import { balances } from './balances.ts';
import { chain } from './chain.ts';
import type { Check, FaultReport } from './check.ts';
import { credits } from './credits.ts';
import { holds } from './holds.ts';
import { payments } from './payments.ts';
import { rolled } from './rolled.ts';
import { usageDays } from './usage-days.ts';

/** What holds of the ledger at all times; the audit finds where it does not. */
export const INVARIANTS = {
  I1: "a key's entries are numbered without gaps and add up to its balance",
  I2: 'the credits held by an account are the sum of its open holds',
  I3: 'nothing is negative',
  I4: 'each hold ended once, with the entries that belong to its state',
  I5: 'credits come only from grants and sales, each counted once',
  I6: 'a key has at most one open purchase',
  I7: "a month's spending is the sum of its purchases",
  I8: 'auto-reload is off after it failed',
  I9: 'an open or voided hold has no entries',
  rolled: 'old charges are rolled by whole days, and refunds have their charges',
  days: "a day's usage is the sum of its entries",
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** One fault in the ledger; `keyId` is null if the fault belongs to no key, or to several. */
export type Finding = { invariant: Invariant; keyId: string | null; text: string };

/** Resolves to the findings in the order of the invariants; none if the ledger is consistent. */
type Audit = () => Promise<Finding[]>;

/** Findings listed for each invariant; one more then gives the number of the rest. */
export const FINDINGS_MAX = 20;

const CHECKS: readonly (Check & { invariant: Invariant })[] = [
  ...labelChecks('I1', chain),
  ...labelChecks('I2', balances.held),
  ...labelChecks('I3', balances.negative),
  ...labelChecks('I4', holds.ended),
  ...labelChecks('I5', credits),
  ...labelChecks('I5', payments.sold),
  ...labelChecks('I6', payments.open),
  ...labelChecks('I7', payments.spent),
  ...labelChecks('I8', payments.failures),
  ...labelChecks('I9', holds.voided),
  ...labelChecks('rolled', rolled),
  ...labelChecks('days', usageDays),
];

/** Audits one snapshot of the whole store, so it may run while calls are charged. */
export function createAudit({
  ledgerStore,
}: {
  ledgerStore: Pick<LedgerStore, 'dialect' | 'snapshot'>;
}): Audit {
  return () =>
    ledgerStore.snapshot(async (db) => {
      if (ledgerStore.dialect === 'postgres') await joinWholeTables(db);
      const found = new Map<Invariant, FaultReport[]>();
      for (const { invariant, find } of CHECKS) {
        const broken = await find({ db, dialect: ledgerStore.dialect }, FINDINGS_MAX);
        found.set(invariant, [...(found.get(invariant) ?? []), broken]);
      }
      return [...found].flatMap(([invariant, broken]) => buildFindings(invariant, broken));
    });
}

/**
 * For the rest of the transaction. Each check joins whole tables; with statistics from before a table grew, the planner would
 * join them row by row, or merge them by key alone, which takes minutes at 100,000 entries.
 */
async function joinWholeTables(db: Kysely<LedgerTables>): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(db);
  await sql`set local enable_mergejoin = off`.execute(db);
}

function buildFindings(invariant: Invariant, broken: FaultReport[]): Finding[] {
  const listed = broken.flatMap(({ places }) => places).slice(0, FINDINGS_MAX);
  const unlisted = broken.reduce((sum, { count }) => sum + count, 0) - listed.length;
  const findings = listed.map((place) => ({ invariant, ...place }));
  if (unlisted > 0) findings.push({ invariant, keyId: null, text: `and ${unlisted} more` });
  return findings;
}

function labelChecks(invariant: Invariant, checks: readonly Check[]): (Check & { invariant: Invariant })[] {
  return checks.map((check) => ({ invariant, ...check }));
}
