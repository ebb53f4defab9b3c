import { describeLedgerPlace, openLedgerStoreOf } from '../../app/compose-billing.ts';
import type { Config } from '../../app/config.ts';
import { createAudit, type Finding, INVARIANTS, type Invariant } from '../../billing/audit/audit.ts';
import { countCreditsUsed, countOverdueHolds, readTotals, type Totals } from '../../billing/ledger/totals.ts';
import { toUtcDay } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { printVerdict, toFailure, toOk, toWarning } from '../check-result.ts';

/** An audit query reads all entries, and there may be many millions. */
const STATEMENT_MS = 600_000;
/** Servers return expired holds every few seconds. */
const OVERDUE_MS = 600_000;

/** `sanderling doctor --ledger`: audits the ledger, even while servers use it. Resolves to 1 if an invariant is broken. */
export async function runDoctorLedger(
  config: Config,
  { json = false }: { json?: boolean } = {},
): Promise<number> {
  const ledgerStore = await openLedgerStoreOf(config, { statementMs: STATEMENT_MS });
  try {
    if (!json) process.stdout.write(`Ledger: ${describeLedgerPlace(config)}\n`);
    const findings = await createAudit({ ledgerStore })();
    if (json) {
      const answer = { ok: findings.length === 0, ledger: describeLedgerPlace(config), findings };
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
      return findings.length === 0 ? 0 : 1;
    }
    for (const invariant of Object.keys(INVARIANTS) as Invariant[])
      printInvariant(
        invariant,
        findings.filter((finding) => finding.invariant === invariant),
      );
    await printHolds(ledgerStore);
    await printTotals(ledgerStore);
    process.stdout.write(
      findings.length === 0
        ? 'The ledger is sound.\n'
        : 'The ledger is damaged. Back it up before you repair anything.\n',
    );
    return findings.length === 0 ? 0 : 1;
  } finally {
    await ledgerStore.close();
  }
}

function printInvariant(invariant: Invariant, findings: Finding[]): void {
  const text = INVARIANTS[invariant];
  printVerdict(invariant, findings.length === 0 ? toOk(text) : toFailure(text));
  for (const { keyId, text } of findings)
    process.stdout.write(`${' '.repeat(18)}${keyId === null ? '' : `${keyId}: `}${text}\n`);
}

async function printHolds({ db }: LedgerStore): Promise<void> {
  const overdue = await countOverdueHolds(db, Date.now() - OVERDUE_MS);
  printVerdict(
    'holds',
    overdue === 0
      ? toOk('none is overdue')
      : toWarning(`${overdue} overdue: no server seems to be running that would return the credits`),
  );
}

async function printTotals(ledgerStore: LedgerStore): Promise<void> {
  const { totals, used } = await ledgerStore.snapshot(async (db) => ({
    totals: await readTotals(db),
    used: await countCreditsUsed(db, toUtcDay(Date.now())),
  }));
  process.stdout.write(
    `${formatKeyCounts(totals.keys)}; ${totals.available} credits available, ${totals.held} held by ${totals.openHolds} open ${totals.openHolds === 1 ? 'hold' : 'holds'}, ${used} charged today\n`,
  );
}

/** Formats counts as `3 keys (2 free active, 1 operator revoked)`. */
function formatKeyCounts(keys: Totals['keys']): string {
  const all = keys.reduce((sum, { count }) => sum + count, 0);
  const kinds = keys.map(({ kind, state, count }) => `${count} ${kind} ${state}`).toSorted();
  return `${all} ${all === 1 ? 'key' : 'keys'}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`;
}
