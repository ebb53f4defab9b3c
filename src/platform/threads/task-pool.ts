import { once } from 'node:events';
import { Piscina } from 'piscina';
import { Failure } from '../../contract/errors.ts';
import { createFairQueue } from '../sharing/fair-queue.ts';
import type { Tenant } from '../sharing/fair-shares.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { CpuMeter, TaskCall, TaskModules } from './task-thread.ts';

type TaskFunctions = Record<string, (...args: never[]) => unknown>;

/** `modules`: for each function that runs as a task, the address (file:) of the module that exports it. */
type TaskPoolOptions<Tasks> = { modules: Record<keyof Tasks, URL>; limits: PoolLimits };

export type RunOptions = {
  transfer?: ArrayBuffer[];
  signal?: AbortSignal;
  /** Whose task it is, for fair shares; absent: the service's own. */
  tenant?: Tenant;
};

type ResultOf<Task extends TaskFunctions[string]> = Awaited<ReturnType<Task>>;

type TaskPool<Tasks extends TaskFunctions> = {
  /**
   * Runs a function on a free thread. Throws `Failure('overloaded')` when too many wait or no thread can be started,
   * TaskTimedOut, TaskCrashed when the thread ended under it, or the reason of `signal`.
   */
  run<Name extends keyof Tasks & string>(
    name: Name,
    args: Parameters<Tasks[Name]>,
    options?: RunOptions,
  ): Promise<ResultOf<Tasks[Name]>>;
  /** Starts the first thread, which the first task would otherwise start. Rejects when it cannot start. */
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A task did not come to its end. */
export class TaskFailed extends Error {}
/** A task ran longer, or used more CPU time, than it may. */
export class TaskTimedOut extends TaskFailed {}
/** The thread of a task ended, or the task threw. */
export class TaskCrashed extends TaskFailed {}

/** Threads for work that would hold up the event loop. Arguments and results are plain data. */
export function createTaskPool<Tasks extends TaskFunctions>({
  modules,
  limits,
}: TaskPoolOptions<Tasks>): TaskPool<Tasks> {
  const { threads, waitingMax, taskMs, cpuMs = taskMs } = limits;
  // Started with the first task: some commands need no threads.
  let piscina: Piscina<TaskCall> | null = null;
  const lost = new WeakSet<Piscina<TaskCall>>();
  const start = (): Piscina<TaskCall> =>
    startThreads(modules, limits, (pool) => {
      lost.add(pool);
      if (piscina === pool) piscina = null;
    });
  // The time of a task counts from its start, not from its queueing, so tasks wait for their thread here.
  const queue = createFairQueue({
    slots: threads,
    waitingMax,
    overloaded: () => new Failure('overloaded', 'Too many pages wait to be read; try again in a moment.'),
  });
  return {
    run: <Name extends keyof Tasks & string>(
      name: Name,
      args: Parameters<Tasks[Name]>,
      { transfer = [], signal, tenant }: RunOptions = {},
    ) => {
      const result = queue.run({ tenant, signal }, async () => {
        const pool = startedOr503(() => (piscina ??= start()));
        const running = { name, args, transfer, signal, taskMs, cpuMs, isLost: () => lost.has(pool) };
        return runWithin(pool, running);
      });
      // The thread answers with what the function of that name returns.
      return result as Promise<ResultOf<Tasks[Name]>>;
    },
    async start() {
      if (piscina !== null) return;
      piscina = start();
      await Promise.all(piscina.threads.map((thread) => once(thread, 'online')));
    },
    close: async () => piscina?.destroy(),
  };
}

function startThreads(
  modules: Readonly<Record<string, URL>>,
  { threads, heapMegabytesMax }: PoolLimits,
  onLost: (pool: Piscina<TaskCall>) => void,
): Piscina<TaskCall> {
  const addresses = Object.entries(modules).map(([name, { href }]) => [name, href] as const);
  const pool = new Piscina<TaskCall>({
    filename: new URL('./task-thread.ts', import.meta.url).href,
    name: 'runTask',
    workerData: Object.fromEntries(addresses) satisfies TaskModules,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  });
  // Without a listener, the event would end the process.
  pool.on('error', (error: Error) => {
    // The answer of a task that was ended at that very moment.
    if (error.message.startsWith('Unexpected message from Worker')) return;
    // A thread could not start. Piscina would not replace it and would leave tasks waiting for it; the next task starts another pool.
    onLost(pool);
    void pool.destroy();
  });
  return pool;
}

function startedOr503<Pool>(start: () => Pool): Pool {
  try {
    return start();
  } catch (error) {
    throw noThread(error);
  }
}

/** The system has no descriptors, memory or threads left, probably for a moment. */
function noThread(cause: unknown): Failure {
  return new Failure('overloaded', 'No worker thread can be started; try again in a moment.', { cause });
}

type Running = Omit<TaskCall, 'meter'> & {
  transfer: ArrayBuffer[];
  signal: AbortSignal | undefined;
  taskMs: number;
  cpuMs: number;
  /** Whether the pool was given up, because a thread could not start. */
  isLost(): boolean;
};

async function runWithin(
  piscina: Piscina<TaskCall>,
  { name, args, transfer, signal, taskMs, cpuMs, isLost }: Running,
): Promise<unknown> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), taskMs);
  const meter: CpuMeter = new Int32Array(new SharedArrayBuffer(8));
  const stopWatching = whenOver(
    cpuMs,
    () => cpuUsedMs(piscina, meter),
    () => late.abort(),
  );
  try {
    return await piscina.run(
      { name, args, meter },
      {
        transferList: transfer,
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      },
    );
  } catch (error) {
    if (late.signal.aborted)
      throw new TaskTimedOut(`a task took over ${taskMs} ms, or ${cpuMs} ms of CPU time`);
    signal?.throwIfAborted();
    if (isLost() || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_INIT_FAILED') throw noThread(error);
    throw new TaskCrashed('a task or its thread failed', { cause: error });
  } finally {
    clearTimeout(timer);
    stopWatching();
  }
}

/** Least time between two looks at the CPU time of a task, which may wait for its turn on a busy machine. */
const LOOK_MS_MIN = 50;

/** Calls `end` when `used` has reached `cpuMs`, which takes at least that long by the clock. Returns a function that stops looking. */
function whenOver(cpuMs: number, used: () => Promise<number>, end: () => void): () => void {
  let stopped = false;
  const look = async (): Promise<void> => {
    const left = cpuMs - (await used());
    if (stopped) return;
    if (left <= 0) end();
    else timer = setTimeout(look, Math.max(left, LOOK_MS_MIN));
  };
  let timer = setTimeout(look, cpuMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** CPU milliseconds that the task on the meter has used; 0 before it runs and after its thread has ended. */
async function cpuUsedMs({ threads }: Pick<Piscina, 'threads'>, meter: CpuMeter): Promise<number> {
  const id = Atomics.load(meter, 0);
  const thread = threads.find(({ threadId }) => threadId === id);
  try {
    const { user, system } = (await thread?.cpuUsage()) ?? { user: 0, system: 0 };
    return Math.max(0, (user + system) / 1_000 - (meter[1] ?? 0));
  } catch {
    // The thread ended while it was asked.
    return 0;
  }
}
