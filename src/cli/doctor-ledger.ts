import type { Config } from '../app/config.ts';
import { ledgerStorePlace, openLedgerStoreOf } from '../app/open-ledger-store.ts';
import { createAudit, type Finding, INVARIANTS, type Invariant } from '../billing/audit/audit.ts';
import { countOverdueHolds, creditsUsedOn, readTotals, type Totals } from '../billing/ledger/totals.ts';
import type { LedgerStore } from '../platform/store/ledger/ledger-store.ts';
import { utcDay } from '../platform/utc.ts';
import { failure, ok, printVerdict, warning } from './check-result.ts';

/** A query of the audit reads all entries, of which there may be many millions. */
const STATEMENT_MS = 600_000;
/** A server gives expired holds back every few seconds. */
const OVERDUE_MS = 600_000;

/** `sanderling doctor --ledger`: holds the books to their promises, also while they are in use; resolves to 1 when one is broken. */
export async function runDoctorLedger(config: Config): Promise<number> {
  const ledgerStore = await openLedgerStoreOf(config, { statementMs: STATEMENT_MS });
  try {
    process.stdout.write(`The books: ${ledgerStorePlace(config)}\n`);
    const findings = await createAudit({ ledgerStore })();
    for (const invariant of Object.keys(INVARIANTS) as Invariant[])
      printInvariant(
        invariant,
        findings.filter((finding) => finding.invariant === invariant),
      );
    await printHolds(ledgerStore);
    await printTotals(ledgerStore);
    process.stdout.write(
      findings.length === 0
        ? 'The books are right.\n'
        : 'The books are wrong: keep a copy of them as they are before anything is mended.\n',
    );
    return findings.length === 0 ? 0 : 1;
  } finally {
    await ledgerStore.close();
  }
}

function printInvariant(invariant: Invariant, findings: Finding[]): void {
  const text = INVARIANTS[invariant];
  printVerdict(invariant, findings.length === 0 ? ok(text) : failure(text));
  for (const { keyId, text } of findings)
    process.stdout.write(`${' '.repeat(18)}${keyId === null ? '' : `${keyId}: `}${text}\n`);
}

async function printHolds({ db }: LedgerStore): Promise<void> {
  const overdue = await countOverdueHolds(db, Date.now() - OVERDUE_MS);
  printVerdict(
    'holds',
    overdue === 0
      ? ok('none is open long past its time')
      : warning(`${overdue} open long past their time: a server gives them back, and none seems to run`),
  );
}

async function printTotals(ledgerStore: LedgerStore): Promise<void> {
  const { totals, used } = await ledgerStore.snapshot(async (db) => ({
    totals: await readTotals(db),
    used: await creditsUsedOn(db, utcDay(Date.now())),
  }));
  process.stdout.write(
    `${keysInWords(totals.keys)}; ${totals.available} credits to be spent, ${totals.held} held by ${totals.openHolds} open ${totals.openHolds === 1 ? 'hold' : 'holds'}, ${used} charged today\n`,
  );
}

/** `3 keys (2 free active, 1 operator revoked)`. */
function keysInWords(keys: Totals['keys']): string {
  const all = keys.reduce((sum, { count }) => sum + count, 0);
  const kinds = keys.map(({ kind, state, count }) => `${count} ${kind} ${state}`).toSorted();
  return `${all} ${all === 1 ? 'key' : 'keys'}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`;
}
