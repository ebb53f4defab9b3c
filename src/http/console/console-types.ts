import type { AuditRunner } from '../../billing/audit/audit-runner.ts';
import type { Keys } from '../../billing/keys/keys.ts';
import type { PaymentOverview } from '../../billing/payments/payment-overview.ts';
import type { OperatorRuns } from '../../crawl/runs/runs.ts';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { Forget } from '../../index/upkeep/forget.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { QueueLoad } from '../../platform/sharing/fair-queue.ts';
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Session } from '../site/sessions/sessions.ts';
import type { Website } from '../site/shell/site.ts';
import type { ActionLog } from './state/action-log.ts';
import type { LoadOfDay } from './state/load-of-day.ts';

/** A setting as the process uses it, for its operator. */
export type SettingInForce = {
  name: string;
  /** In words where it is secret or not set. */
  value: string;
  from: 'default' | 'environment' | 'file';
};

/** How busy the process is now. */
export type CurrentLoad = {
  calls: QueueLoad;
  threads: QueueLoad;
  /** How late the event loop is. */
  loopDelayMs: number;
  residentBytes: number;
  heapBytes: number;
  upMs: number;
};

/** Keys and payments; absent where calls are not metered. */
export type ConsoleMoney = {
  keys: Pick<Keys, 'create' | 'changeTerms' | 'grant' | 'revoke' | 'list' | 'show'>;
  /** Whether credits are sold. */
  sells: boolean;
  payments(): Promise<PaymentOverview>;
  /** Handles an event of the provider once more. */
  retryEvent(id: string): Promise<void>;
  /** Asks the provider for what it has not told. */
  askProvider(): Promise<void>;
  audit: Pick<AuditRunner, 'begin' | 'state'>;
};

/** What the operator's console works with. */
export type ConsoleDeps = {
  /** Opens the console. */
  token: string;
  site: Website;
  clock: Clock;
  /** Addresses at which the operator makes the service public. */
  publicUrls: readonly string[];
  actions: ActionLog;
  sources: { readings(): SourceReading[]; set(name: string, state: 'on' | 'off'): Promise<void> };
  index: Pick<LocalIndex, 'place' | 'stats' | 'list' | 'recent' | 'search' | 'postpone' | 'rebuilding'>;
  forget: Forget;
  runs: OperatorRuns;
  /** Files that may be imported: what lies in this folder. */
  imports: { folder: string; names(): Promise<string[]> };
  jobs: Pick<Jobs, 'counts'>;
  money: ConsoleMoney | null;
  loadOfDay: Pick<LoadOfDay, 'spans'>;
  load(): CurrentLoad;
  settings: readonly SettingInForce[];
  isDraining(): boolean;
};

/** What the next page tells of the last action, once. */
export type Notice = { text: string /** A new key, which is shown this once. */; secret?: string };

/** What a session of the console remembers. */
export type Visit = Session<{ notice: Notice | null }>;
