import assert from 'node:assert/strict';
import { Failure } from '../../contract/errors.ts';
import { createFairQueue, type QueueLoad, type Tenant } from '../fairness/fair-queue.ts';
import type { Stage } from '../fairness/work-queue.ts';
import { POOL_LIMITS, type PoolLimits, type TaskLimits } from './pool-limits.ts';
import type { CpuMeter, TaskCalls } from './task-thread.ts';
import { createThread, isFaultOfModule, type Thread, ThreadNotStarted } from './thread.ts';
import { resolveThreadModule } from './thread-modules.ts';

type TaskFunction = (...args: never[]) => unknown;

/** A function that runs in a thread: the module (file:) that exports it, its name and its limits. */
export type ThreadTask<Run extends TaskFunction> = {
  module: URL;
  name: string;
  limits: TaskLimits;
  /** Never set; it carries the type of the function. */
  run?: Run;
};

export type RunOptions = {
  transfer?: ArrayBuffer[];
  signal?: AbortSignal;
  /** The tenant that the task runs for; absent: the service itself. */
  tenant?: Tenant;
  /** The subject of the task, such as a page. The thread that had it before is preferred, because it may have cached what it read. */
  about?: string;
};

type ResultOf<Run extends TaskFunction> = Awaited<ReturnType<Run>>;

export type TaskPool = {
  /**
   * Runs a task on a free thread. Throws `Failure('overloaded')` when too many wait or no thread can be started,
   * `Failure('internal')` when its module can never be loaded, TaskTimedOut, TaskStarved when the machine is too busy for it, TaskCrashed when the thread ended under it, or the reason of `signal`.
   */
  run<Run extends TaskFunction>(
    task: ThreadTask<Run>,
    args: Parameters<Run>,
    options?: RunOptions,
  ): Promise<ResultOf<Run>>;
  /** Busy threads, and tasks that wait for a thread or for their turn to read a page. */
  load(): QueueLoad;
  /** The queues for the threads. */
  stages: readonly Stage[];
  close(): Promise<void>;
};

/** A task did not finish, for one of the reasons below. */
export class TaskFailed extends Error {}
/** A task exceeded its time limit or its CPU limit. */
export class TaskTimedOut extends TaskFailed {}
/** A task reached its time limit before its CPU limit, because the machine is too busy. */
export class TaskStarved extends TaskTimedOut {}
/** The thread of a task ended, or the task threw. */
export class TaskCrashed extends TaskFailed {}

/**
 * Creates a pool of threads for work that would block the event loop. Arguments and results are plain data. A thread starts with the first
 * task that needs it and loads the modules of `together` at once, because later there may be no descriptor left for them.
 */
export function createTaskPool(
  limits: PoolLimits = POOL_LIMITS,
  together: ThreadTask<TaskFunction>[] = [],
): TaskPool {
  const { threads, waitingMax, pageThreads, pagesWaitingMax } = limits;
  const workers = createWorkers(limits, together);
  // The time of a task counts from its start, not from its queueing, so tasks wait for their thread here.
  const forThread = createFairQueue({ slots: threads, waitingMax, overloaded: createOverloadError });
  // Page reading must not take all threads, so that work on cached pages never waits behind fetched ones.
  const forPages = createFairQueue({
    slots: pageThreads,
    waitingMax: pagesWaitingMax,
    overloaded: createOverloadError,
  });
  return {
    run<Run extends TaskFunction>(
      task: ThreadTask<Run>,
      args: Parameters<Run>,
      { transfer = [], signal, tenant, about }: RunOptions = {},
    ) {
      const turn = { tenant, signal };
      const runOnThread = (): Promise<unknown> =>
        forThread.run(turn, () =>
          workers.use({ task, about }, ({ thread, meter }) =>
            runWithin(thread, task, { args, transfer, signal, meter }),
          ),
        );
      const result = task.limits.readsPages ? forPages.run(turn, runOnThread) : runOnThread();
      // The thread answers with what the function returns.
      return awaitUnlessAborted(result, signal) as Promise<ResultOf<Run>>;
    },
    load() {
      const { waiting, ...threads } = forThread.load();
      return { ...threads, waiting: waiting + forPages.load().waiting };
    },
    stages: [forThread, forPages],
    close: workers.close,
  };
}

function createOverloadError(): Failure {
  return new Failure('overloaded', 'Too many pages wait to be read; try again in a moment.');
}

/** Creates the error for a system without free descriptors, memory or threads, which is probably transient. */
function createNoThreadError(cause: unknown): Failure {
  return new Failure('overloaded', 'No worker thread can be started; try again in a moment.', { cause });
}

/** Creates the error for an installation that lacks a module; the cause says which. */
function createBrokenError(cause: unknown): Failure {
  return new Failure('internal', 'A part of this installation cannot be loaded.', { cause });
}

/** Time after which an idle thread ends, unless it is the last. */
const IDLE_MS = 30_000;

/** Maximum recent subjects remembered per thread. */
const HAD_MAX = 128;

type Worker = {
  thread: Thread<TaskCalls>;
  meter: CpuMeter;
  idle: NodeJS.Timeout | null;
  lastTask: string | null;
  /** Subjects of its tasks, the most recent last. */
  had: Set<string>;
};

type TaskRequest = { task: ThreadTask<TaskFunction>; about: string | undefined };

type Workers = Pick<TaskPool, 'close'> & {
  /** Runs work with a free thread; the caller ensures that there is one. */
  use<Result>(asked: TaskRequest, work: (worker: Worker) => Promise<Result>): Promise<Result>;
};

/** Creates the threads of a pool, which start when they are first needed. */
function createWorkers(
  { threads, heapMegabytesMax }: PoolLimits,
  together: ThreadTask<TaskFunction>[],
): Workers {
  const all = Array.from({ length: threads }, (): Worker => {
    const thread = createThread<TaskCalls>(resolveThreadModule('platform/threads/task-thread'), {
      heapMegabytesMax,
    });
    const meter = new Int32Array(new SharedArrayBuffer(8));
    return { thread, meter, idle: null, lastTask: null, had: new Set() };
  });
  const free = [...all];
  let isClosed = false;

  const countRunning = (): number => all.filter(({ thread }) => thread.isRunning()).length;
  const load = ({ thread }: Worker): void => {
    // If it does not start, the next task reports why.
    if (together.length > 0) thread.call('load', together.map(toTaskAddress)).catch(() => {});
  };
  const take = ({ task: { name }, about }: TaskRequest): Worker => {
    const findWorker = (fits: (worker: Worker) => boolean): number =>
      free.findLastIndex((worker) => worker.thread.isRunning() && fits(worker));
    const known = about === undefined ? -1 : findWorker(({ had }) => had.has(about));
    // Its compiled code is warm where the task ran last.
    const warm = known === -1 ? findWorker(({ lastTask }) => lastTask === name) : known;
    const [worker] = free.splice(warm === -1 ? findWorker(() => true) : warm, 1);
    assert(worker !== undefined, 'a task waits until a thread is free');
    worker.lastTask = name;
    if (about !== undefined) remember(worker, about);
    if (worker.idle !== null) clearTimeout(worker.idle);
    return worker;
  };
  const release = (worker: Worker): void => {
    free.push(worker);
    if (isClosed) return;
    worker.idle = setTimeout(() => countRunning() > 1 && void worker.thread.end(), IDLE_MS).unref();
    // The last thread died; start another now, so that the next task does not wait for it.
    if (countRunning() === 0) load(worker);
  };
  return {
    async use(asked, work) {
      const worker = take(asked);
      try {
        if (!worker.thread.isRunning()) load(worker);
        return await work(worker);
      } finally {
        release(worker);
      }
    },
    async close() {
      isClosed = true;
      for (const { idle } of all) if (idle !== null) clearTimeout(idle);
      await Promise.all(all.flatMap(({ thread }) => [thread.end(), thread.close()]));
    },
  };
}

function remember({ had }: Worker, about: string): void {
  had.delete(about);
  had.add(about);
  for (const oldest of had) {
    if (had.size <= HAD_MAX) return;
    had.delete(oldest);
  }
}

const toTaskAddress = ({ module, name }: ThreadTask<TaskFunction>) => ({ module: module.href, name });

type TaskRun = {
  args: readonly unknown[];
  transfer: ArrayBuffer[];
  signal: AbortSignal | undefined;
  meter: CpuMeter;
};

/** Grace period for a cancelled task to end by itself: most do, and a new thread costs more than that. */
const UNWANTED_MS = 500;

/** Runs a task on a thread. Ends the thread if the task exceeds its limits, or continues after it was cancelled. */
async function runWithin(
  thread: Thread<TaskCalls>,
  task: ThreadTask<TaskFunction>,
  { args, transfer, signal, meter }: TaskRun,
): Promise<unknown> {
  const { taskMs, cpuMs = taskMs } = task.limits;
  signal?.throwIfAborted();
  Atomics.store(meter, 0, 0);
  let ended = Promise.resolve();
  let late: TaskTimedOut | null = null;
  const end = (): void => {
    ended = thread.end();
  };
  const endLate = (error: TaskTimedOut): void => {
    late ??= error;
    end();
  };
  // A task that used up its CPU time has already been ended.
  const endOnTimeout = (): void =>
    endLate(
      cpuMs < taskMs
        ? new TaskStarved(`a task did not get ${cpuMs} ms of CPU time within ${taskMs} ms`)
        : new TaskTimedOut(`a task took over ${taskMs} ms`),
    );
  const endOnCpuLimit = (): void => endLate(new TaskTimedOut(`a task took over ${cpuMs} ms of CPU time`));
  let timer = setTimeout(endOnTimeout, taskMs);
  const onAbort = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, UNWANTED_MS);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const stopWatching = watchCpuTime(cpuMs, () => measureCpuMs(thread, meter), endOnCpuLimit);
  try {
    const result = await thread.call('run', { ...toTaskAddress(task), args, meter }, { transfer });
    if ('value' in result) return result.value;
    // The same thread would not try to load the module again.
    end();
    const cause = new Error(result.notLoaded);
    throw result.isBroken ? createBrokenError(cause) : createNoThreadError(cause);
  } catch (error) {
    if (late !== null) throw late;
    signal?.throwIfAborted();
    if (error instanceof ThreadNotStarted)
      throw isFaultOfModule(error.cause) ? createBrokenError(error.cause) : createNoThreadError(error);
    if (error instanceof Failure) throw error;
    throw new TaskCrashed('a task or its thread failed', { cause: error });
  } finally {
    clearTimeout(timer);
    stopWatching();
    signal?.removeEventListener('abort', onAbort);
    await ended;
  }
}

/** Resolves to the result of work, or rejects with the signal's reason as soon as it fires. */
async function awaitUnlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const leave = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Minimum interval between checks of the CPU time of a task, which may wait for its turn on a busy machine. */
const LOOK_MS_MIN = 50;

/** Calls `end` when `used` has reached `cpuMs`, which takes at least as long by the clock. Returns a function that stops the checks. */
function watchCpuTime(cpuMs: number, used: () => Promise<number>, end: () => void): () => void {
  let stopped = false;
  const checkCpuTime = async (): Promise<void> => {
    const left = cpuMs - (await used());
    if (stopped) return;
    if (left <= 0) end();
    else timer = setTimeout(checkCpuTime, Math.max(left, LOOK_MS_MIN));
  };
  let timer = setTimeout(checkCpuTime, cpuMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Returns the CPU milliseconds that the task on the meter has used; 0 before it runs and after its thread has ended. */
async function measureCpuMs(thread: Thread<TaskCalls>, meter: CpuMeter): Promise<number> {
  if (Atomics.load(meter, 0) === 0) return 0;
  return Math.max(0, (await thread.cpuMs()) - (meter[1] ?? 0));
}
