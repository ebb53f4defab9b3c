import type { AuditRunner } from '../../billing/audit/audit-runner.ts';
import type { Keys } from '../../billing/keys/keys.ts';
import type { PaymentOverview } from '../../billing/payments/payment-overview.ts';
import type { OperatorRuns } from '../../crawl/runs/runs.ts';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { Forget } from '../../index/upkeep/forget.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Monitors } from '../../monitors/monitors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { QueueLoad } from '../../platform/fairness/fair-queue.ts';
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { CompareVersions } from '../../versions/compare-versions.ts';
import type { Records } from '../../versions/records.ts';
import type { ReplayRecord } from '../../versions/replay-record.ts';
import type { Versions } from '../../versions/versions.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Session } from '../site/sessions/sessions.ts';
import type { Website } from '../site/shell/site.ts';
import type { MonitorRules } from '../v1/monitor-fields.ts';
import type { ActionLog } from './state/action-log.ts';
import type { LoadOfDay } from './state/load-of-day.ts';

/** A setting in force in this process, for its operator. */
export type SettingInForce = {
  name: string;
  /** The value, or a description where it is secret or not set. */
  value: string;
  from: 'default' | 'environment' | 'file';
};

/** The current load of the process. */
export type CurrentLoad = {
  calls: QueueLoad;
  threads: QueueLoad;
  /** Delay of the event loop in milliseconds. */
  loopDelayMs: number;
  residentBytes: number;
  heapBytes: number;
  upMs: number;
};

/** Keys and payments, where calls are metered. */
export type ConsoleMoney = {
  keys: Pick<Keys, 'create' | 'changeTerms' | 'grant' | 'revoke' | 'list' | 'show'>;
  /** True if credits are sold. */
  sells: boolean;
  payments(): Promise<PaymentOverview>;
  /** Handles an event of the payment provider again. */
  retryEvent(id: string): Promise<void>;
  /** Asks the payment provider for events that it has not sent. */
  askProvider(): Promise<void>;
  audit: Pick<AuditRunner, 'begin' | 'state'>;
};

/** Dependencies of the operator's console. */
export type ConsoleDeps = {
  /** The token that opens the console. */
  token: string;
  site: Website;
  clock: Clock;
  /** The public addresses of the service. */
  publicUrls: readonly string[];
  actions: ActionLog;
  sources: { readings(): SourceReading[]; set(name: string, state: 'on' | 'off'): Promise<void> };
  index: Pick<LocalIndex, 'place' | 'stats' | 'list' | 'recent' | 'search' | 'postpone' | 'rebuilding'>;
  forget: Forget;
  runs: OperatorRuns;
  /** The folder of files that may be imported, and their names. */
  imports: { folder: string; names(): Promise<string[]> };
  jobs: Pick<Jobs, 'counts'>;
  monitors: Pick<Monitors, 'create' | 'listAll' | 'change' | 'remove' | 'events'>;
  monitorRules: MonitorRules;
  /** Each change of a page that is read is kept. */
  keepsVersions: boolean;
  versions(): Promise<Pick<Versions, 'list' | 'count'>>;
  compareVersions: Pick<CompareVersions, 'byBlock'>;
  records(): Promise<Pick<Records, 'list'>>;
  replayRecord: ReplayRecord;
  /** Null: no model is set, and there is no page about it. */
  writer: Pick<Writer, 'state'> | null;
  money: ConsoleMoney | null;
  loadOfDay: LoadOfDay;
  load(): CurrentLoad;
  settings: readonly SettingInForce[];
  isDraining(): boolean;
};

/** The result of the last action, shown once on the next page. */
export type Notice = { text: string /** A new key, which is shown this once. */; secret?: string };

/** A session of the console. */
export type Visit = Session<{ notice: Notice | null }>;
