import { openLedgerStore } from '../../platform/store/ledger/open-ledger-store.ts';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { createAudit, type Finding } from './audit.ts';

/** Location of the ledger to audit. */
export type LedgerLocation = {
  dataDir: string;
  /** Null: SQLite in `dataDir`. */
  databaseUrl: string | null;
};

/** Calls that the audit thread serves. */
export type AuditCalls = {
  /** Opens the ledger, audits one snapshot of it, and closes it again. */
  audit(place: LedgerLocation): Promise<Finding[]>;
};

/** An audit query reads all entries, and there may be many millions. */
const STATEMENT_MS = 600_000;

// SQLite reads on the calling thread: without a thread of its own, an audit would block the server.
serveCalls({
  async audit(place: LedgerLocation) {
    const ledgerStore = await openLedgerStore(place, { statementMs: STATEMENT_MS });
    try {
      return await createAudit({ ledgerStore })();
    } finally {
      await ledgerStore.close();
    }
  },
} satisfies AuditCalls);
