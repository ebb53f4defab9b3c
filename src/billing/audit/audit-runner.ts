import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createThread } from '../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { Finding } from './audit.ts';
import type { AuditCalls, LedgerLocation } from './audit-thread.ts';

/** The outcome of an audit. If it could not be finished, `findings` is null and `problem` says why. */
type AuditResult = { endedAt: number; seconds: number; findings: Finding[] | null; problem: string | null };

/** Audits the ledger while a server uses it: one audit at a time, in its own thread. */
export type AuditRunner = {
  /** Starts an audit. Returns false if one is already running. */
  begin(): boolean;
  /** Returns when the running audit started, and the outcome of the last one in this process. */
  state(): { since: number | null; last: AuditResult | null };
  /** Stops a running audit. */
  close(): Promise<void>;
};

export function createAuditRunner(deps: { place: LedgerLocation; clock: Clock; log: Log }): AuditRunner {
  const { place, clock, log } = deps;
  let since: number | null = null;
  let last: AuditResult | null = null;
  const thread = createThread<AuditCalls>(resolveThreadModule('billing/audit/audit-thread'));
  const { dataDir, databaseUrl } = place;
  const audit = async (begun: number): Promise<void> => {
    const recordEnd = (result: Pick<AuditResult, 'findings' | 'problem'>): void => {
      last = { endedAt: clock.now(), seconds: (clock.now() - begun) / 1_000, ...result };
      since = null;
    };
    try {
      const findings = await thread.call('audit', { dataDir, databaseUrl });
      recordEnd({ findings, problem: null });
      if (findings.length > 0) log.error({ findings: findings.length }, 'the ledger breaks an invariant');
    } catch (err) {
      log.error({ err }, 'an audit of the ledger could not be finished');
      recordEnd({ findings: null, problem: err instanceof Error ? err.message : String(err) });
    } finally {
      await thread.end();
    }
  };
  return {
    begin() {
      if (since !== null) return false;
      since = clock.now();
      void audit(since);
      return true;
    },
    state: () => ({ since, last }),
    async close() {
      await thread.end();
      await thread.close();
    },
  };
}
