/**
 * The runs of the operator: crawls, imports and refreshes in a server, one at a time, stored so that they survive a restart and resume.
 * It schedules, pauses and stops runs; the work itself is done by perform-run.ts.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Store } from '../../platform/store/open-store.ts';
import {
  countWaitingRuns,
  dropOldRuns,
  findRun,
  insertRun,
  listRuns,
  moveRun,
  releaseRun,
  requeueSilentRuns,
  takeRun,
  touchRun,
} from './run-rows.ts';
import type { OperatorRun, PerformRun, RunCounts, RunOrder, RunState } from './run-types.ts';

/** Manages the runs of the operator. */
export type OperatorRuns = {
  /** Throws `Failure('overloaded')` when too many wait. */
  start(order: RunOrder): Promise<OperatorRun>;
  /** Each resolves to false if the state of the run does not allow it. */
  pause(id: string): Promise<boolean>;
  resume(id: string): Promise<boolean>;
  stop(id: string): Promise<boolean>;
  /** Lists the runs with their current counts, newest first. */
  list(): Promise<OperatorRun[]>;
  find(id: string): Promise<OperatorRun | null>;
  /** Takes a waiting run, or one that a dead process left. Call periodically. */
  tick(): Promise<void>;
  /** Interrupts the current run and waits until it has ended; the next process continues it. */
  end(): Promise<void>;
};

/** Maximum waiting runs. */
const WAITING_MAX = 20;
/** Interval at which a process writes the progress of a run, and time after which a silent process counts as dead. */
const TOUCH_EVERY_MS = 2_000;
const SILENT_MS = 30_000;

type RunsDeps = { store: Store; perform: PerformRun; clock: Clock; log: Log };

/** The run in progress in this process. `wanted`: its next state if it is told to end. */
type ActiveRun = {
  holder: string;
  run: OperatorRun;
  counts: RunCounts;
  touchedAt: number;
  abort: AbortController;
  wanted: 'paused' | 'stopped' | 'waiting' | null;
  done: Promise<void>;
};

export function createRuns(deps: RunsDeps): OperatorRuns {
  const { store, clock } = deps;
  const worker = createWorker(deps);
  const move = (id: string, from: RunState[], to: RunState): Promise<boolean> =>
    moveRun(store, id, { from, to, now: clock.now() });
  const find = async (id: string): Promise<OperatorRun | null> => {
    const run = await findRun(store, id);
    return run === null ? null : worker.asNow(run);
  };
  return {
    find,
    async start(order) {
      if ((await countWaitingRuns(store)) >= WAITING_MAX)
        throw new Failure(
          'overloaded',
          `${WAITING_MAX} crawls and imports wait already; wait until one has ended.`,
        );
      await dropOldRuns(store);
      const id = `run_${randomBytes(8).toString('hex')}`;
      await insertRun(store, { id, order, now: clock.now() });
      await worker.tick();
      const run = await find(id);
      if (run === null) throw new Error('a run that was just written is not there');
      return run;
    },
    // Another process that performs the run notices within seconds.
    pause: async (id) => (await worker.interrupt(id, 'paused')) || move(id, ['waiting', 'running'], 'paused'),
    async resume(id) {
      const moved = await move(id, ['paused'], 'waiting');
      if (moved) await worker.tick();
      return moved;
    },
    stop: async (id) =>
      (await worker.interrupt(id, 'stopped')) || move(id, ['waiting', 'running', 'paused'], 'stopped'),
    list: async () => (await listRuns(store)).map(worker.asNow),
    tick: worker.tick,
    end: worker.end,
  };
}

/** Works on one run at a time. */
type RunWorker = Pick<OperatorRuns, 'tick' | 'end'> & {
  /** Returns the run, with its current counts if it is in progress here. */
  asNow(run: OperatorRun): OperatorRun;
  /** Tells a run in progress here to end and waits until it has; false if it is not in progress here. */
  interrupt(id: string, wanted: 'paused' | 'stopped'): Promise<boolean>;
};

function createWorker(deps: RunsDeps): RunWorker {
  const { store, clock } = deps;
  const holder = randomUUID();
  let current: ActiveRun | null = null;
  let isEnding = false;
  const pollRuns = async (): Promise<void> => {
    if (current !== null) return recordProgress(deps, current);
    await requeueSilentRuns(store, clock.now() - SILENT_MS);
    if (isEnding) return;
    const run = await takeRun(store, { holder, now: clock.now() });
    if (run === null) return;
    if (current !== null || isEnding) {
      const { counts, note } = run;
      await releaseRun(store, run.id, { holder, state: 'waiting', now: clock.now(), counts, note });
      return;
    }
    const work = createActiveRun(run, { holder, now: clock.now() });
    current = work;
    work.done = executeRun(deps, work).finally(() => {
      current = null;
      if (!isEnding)
        void pollRuns().catch((err: unknown) => deps.log.error({ err }, 'no run could be taken'));
    });
  };
  return {
    tick: pollRuns,
    asNow: (run) =>
      current?.run.id === run.id && run.state === 'running' ? { ...run, counts: current.counts } : run,
    async interrupt(id, wanted) {
      if (current?.run.id !== id) return false;
      const work = current;
      work.wanted ??= wanted;
      work.abort.abort();
      await work.done;
      return work.wanted === wanted;
    },
    async end() {
      isEnding = true;
      if (current === null) return;
      current.wanted ??= 'waiting';
      current.abort.abort();
      await current.done;
    },
  };
}

function createActiveRun(run: OperatorRun, { holder, now }: { holder: string; now: number }): ActiveRun {
  const { counts } = run;
  const work = { holder, run, counts, touchedAt: now, abort: new AbortController() };
  return { ...work, wanted: null, done: Promise.resolve() };
}

async function recordProgress({ store, clock }: RunsDeps, work: ActiveRun): Promise<void> {
  const now = clock.now();
  if (now - work.touchedAt < TOUCH_EVERY_MS) return;
  work.touchedAt = now;
  const { holder, counts } = work;
  // The run was paused or stopped elsewhere, or this process was taken for dead.
  if (!(await touchRun(store, work.run.id, { holder, counts, now }))) work.abort.abort();
}

/** Never rejects. */
async function executeRun(deps: RunsDeps, work: ActiveRun): Promise<void> {
  const { store, clock, log } = deps;
  const { run } = work;
  const { id, order } = run;
  log.info({ run: id, kind: order.kind }, 'run of the operator began');
  const end = await performOrder(deps, work);
  const state = work.wanted ?? (end.failed ? 'failed' : 'done');
  try {
    const note = work.wanted === null ? end.note : null;
    const { counts } = end;
    await releaseRun(store, id, { holder: work.holder, state, now: clock.now(), counts, note });
    log.info({ run: id, kind: order.kind, state, ...end.counts }, 'run of the operator ended');
  } catch (err) {
    // The run stays `running` and is taken again once it counts as silent.
    log.error({ run: id, err }, 'the end of a run could not be written');
  }
}

async function performOrder({ perform, log }: RunsDeps, work: ActiveRun) {
  const { run, abort } = work;
  try {
    return await perform(run.order, {
      signal: abort.signal,
      isResumed: run.counts.pages + run.counts.failed + run.counts.skipped > 0,
      onProgress(counts) {
        work.counts = counts;
      },
    });
  } catch (error) {
    if (!(error instanceof Failure)) log.error({ run: run.id, err: error }, 'a run of the operator failed');
    const note = error instanceof Error ? error.message : String(error);
    return { counts: work.counts, note, failed: true };
  }
}
