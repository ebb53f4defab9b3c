/**
 * Checks the monitors of the store when they are due, in this process or any other on the same store. A check that a killed process left
 * begins anew when its lease ends; its charge has the number of the check, so that it counts once, and its events are written with the
 * check, so that none is lost and none has two ids.
 */
import { Failure } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { MonitorStore } from '../platform/store/monitors/open-monitor-store.ts';
import type { Lease } from '../platform/store/row-leases.ts';
import { type CheckDeps, type CheckResult, checkTarget } from './checks/check-target.ts';
import { decodeKnownState, encodeKnownState, type KnownState } from './checks/known-state.ts';
import type { CheckOutcome, Monitor, MonitorFinding } from './monitor-types.ts';
import { insertEvents } from './rows/event-rows.ts';
import {
  claimMonitor,
  type DueMonitor,
  deleteReadyHosts,
  listDueMonitors,
  releaseMonitor,
  resolveHost,
  takeHost,
  writeCheck,
} from './rows/monitor-rows.ts';
import { planNextCheck } from './schedule.ts';

/** Charges the credits of a check, once per reference; resolves to those that were paid. */
export type ChargeCheck = (charge: { keyId: string; reference: string; credits: number }) => Promise<number>;

type RunnerDeps = CheckDeps & {
  store: MonitorStore;
  charge: ChargeCheck;
  clock: Clock;
  log: Log;
  /** Returns a signal that ends a check in time; replaced by tests that drive the clock. */
  limit(signal: AbortSignal): AbortSignal;
};

type MonitorRunner = {
  /** Starts the checks that are due, within the bounds. Resolves when they have started. */
  startDueChecks(signal: AbortSignal): Promise<void>;
  /** Resolves when no check is running. */
  idle(): Promise<void>;
};

/** Checks of one process at once, and of one owner. */
const CHECKS_AT_ONCE_MAX = 8;
const OWNER_CHECKS_MAX = 4;
const DUE_MAX = 100;
/** Time limit of a check; the lease outlives it. */
export const CHECK_MS = 120_000;
const LEASE_MS = 180_000;
/** Time between the starts of two checks on one host. */
export const HOST_GAP_MS = 5_000;
/** A page that fails so often in a row is reported. */
const FAILURES_REPORTED = 3;

export function createMonitorRunner(deps: RunnerDeps): MonitorRunner {
  const { store, clock, log } = deps;
  const running = new Map<string, { owner: string; done: Promise<void> }>();
  const mayRun = ({ owner }: Monitor): boolean =>
    [...running.values()].filter((one) => one.owner === owner).length < OWNER_CHECKS_MAX;

  const begin = async (due: DueMonitor, signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const host = resolveHost(due.order);
    if (host !== null && !(await takeHost(store.db, host, { now, readyAt: now + HOST_GAP_MS }))) return;
    const claimed = await claimMonitor(store.db, due, { now, until: now + LEASE_MS });
    if (claimed === null) return;
    const done = runCheck(deps, { monitor: due, signal, lease: claimed.lease, known: claimed.known })
      .catch((err: unknown) => log.warn({ monitor: due.id, err }, 'a check of a monitor was not written'))
      .finally(() => running.delete(due.id));
    running.set(due.id, { owner: due.owner, done });
  };
  return {
    async startDueChecks(signal) {
      const now = clock.now();
      await deleteReadyHosts(store.db, now);
      for (const due of await listDueMonitors(store.db, { now, limit: DUE_MAX })) {
        if (signal.aborted || running.size >= CHECKS_AT_ONCE_MAX) return;
        if (!running.has(due.id) && mayRun(due)) await begin(due, signal);
      }
    },
    async idle() {
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

type Check = { monitor: Monitor; lease: Lease; known: string | null; signal: AbortSignal };

async function runCheck(deps: RunnerDeps, { monitor, lease, known, signal }: Check): Promise<void> {
  const state = decodeKnownState(known);
  let result: CheckResult | Failure;
  try {
    result = await checkTarget(deps, { monitor, known: state, signal: deps.limit(signal) });
  } catch (error) {
    // The process is about to exit: another one checks instead.
    if (signal.aborted) return releaseMonitor(deps.store.db, lease);
    result = error instanceof Failure ? error : describeSurprise(deps.log, monitor, error);
  }
  if (result instanceof Failure) return writeFailure(deps, { monitor, lease, state, failure: result });
  const paid = await payCheck(deps, monitor, result.paid);
  if (!paid) return writeUnpaid(deps, { monitor, lease, credits: result.paid });
  await writeResult(deps, { monitor, lease, state, result });
}

function describeSurprise(log: Log, { id }: Monitor, error: unknown): Failure {
  if (error instanceof Error && error.name === 'TimeoutError')
    return new Failure('fetch_failed', 'The check took too long.');
  log.warn({ monitor: id, err: error }, 'a check of a monitor failed');
  return new Failure('internal', 'The check failed.');
}

async function payCheck(
  { charge }: RunnerDeps,
  { id, keyId, checks }: Monitor,
  credits: number,
): Promise<boolean> {
  if (keyId === null || credits === 0) return true;
  return (await charge({ keyId, reference: `${id}/${checks + 1}`, credits })) > 0;
}

type LeasedMonitor = { monitor: Monitor; lease: Lease };

async function writeResult(
  deps: RunnerDeps,
  { monitor, lease, state, result }: LeasedMonitor & { state: KnownState; result: CheckResult },
): Promise<void> {
  const { isChanged, compared, total, paid, leftOut } = result;
  const credits = monitor.keyId === null ? 0 : paid;
  const findings = state.isUnreachable
    ? [describeReach('back', monitor, ''), ...result.findings]
    : result.findings;
  const outcome = { isChanged, credits, compared, total, leftOut, error: null };
  await write(deps, { monitor, lease }, { outcome, findings, failures: 0, known: result.known });
}

async function writeFailure(
  deps: RunnerDeps,
  { monitor, lease, state, failure }: LeasedMonitor & { state: KnownState; failure: Failure },
): Promise<void> {
  const failures = monitor.failures + 1;
  const isReported = failures >= FAILURES_REPORTED && !state.isUnreachable;
  const findings = isReported ? [describeReach('unreachable', monitor, failure.message)] : [];
  const outcome = describeFailedCheck(failure.message);
  const known = isReported ? { known: Object.assign(state, { isUnreachable: true as const }) } : {};
  await write(deps, { monitor, lease }, { outcome, findings, failures, ...known });
}

/** Nothing is told of a check that could not be paid for: what it saw is compared again once there are credits. */
async function writeUnpaid(
  deps: RunnerDeps,
  { monitor, lease, credits }: LeasedMonitor & { credits: number },
): Promise<void> {
  const error = `The key has too few credits for a check, which costs ${credits}.`;
  const outcome = describeFailedCheck(error);
  await write(deps, { monitor, lease }, { outcome, findings: [], failures: 0, pausedFor: 'credits' });
}

function describeFailedCheck(error: string): CheckOutcome {
  return { isChanged: false, credits: 0, compared: 0, total: 0, leftOut: null, error };
}

type CheckToWrite = {
  outcome: CheckOutcome;
  findings: MonitorFinding[];
  failures: number;
  known?: KnownState;
  pausedFor?: 'credits';
};

/** Writes a check with its events in one transaction. A lease that was lost writes nothing. */
async function write(
  { store, clock }: RunnerDeps,
  { monitor, lease }: LeasedMonitor,
  { outcome, findings, failures, known, pausedFor }: CheckToWrite,
): Promise<void> {
  const now = clock.now();
  const { intervalMs, checks, order } = monitor;
  const plan = planNextCheck(order.schedule, { now, intervalMs, isChanged: outcome.isChanged, failures });
  await store.transaction(async (tx) => {
    const isWritten = await writeCheck(tx, lease, {
      ...plan,
      checkedAt: now,
      checks: checks + 1,
      failures,
      outcome,
      ...(known === undefined ? {} : { known: encodeKnownState(known) }),
      ...(pausedFor === undefined ? {} : { pausedFor }),
    });
    if (isWritten) await insertEvents(tx, monitor, { findings, now });
  });
}

function describeReach(kind: 'unreachable' | 'back', { order }: Monitor, reason: string): MonitorFinding {
  const { target, name } = order;
  const url = target.kind === 'search' ? null : target.url;
  const title = name ?? url ?? (target.kind === 'search' ? target.query : '');
  return {
    kind,
    url,
    title,
    markdown: reason,
    changes: [],
    changesTotal: 0,
    changedShare: null,
    conditions: [],
  };
}
