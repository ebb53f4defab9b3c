import { openLedgerStore } from '../../platform/store/ledger/open-ledger-store.ts';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { createAudit, type Finding } from './audit.ts';

/** Where the ledger is. */
export type LedgerLocation = {
  dataDir: string;
  /** Null: SQLite in `dataDir`. */
  databaseUrl: string | null;
};

/** What the thread of audits answers. */
export type AuditCalls = {
  /** Opens the ledger, audits one snapshot of it, and closes it again. */
  audit(place: LedgerLocation): Promise<Finding[]>;
};

/** An audit query reads all entries, and there may be many millions. */
const STATEMENT_MS = 600_000;

// SQLite reads on the thread that asks: a server's own would answer nobody during an audit.
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
