import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { Failure } from '../../contract/errors.ts';
import type { TaskMeter, TaskModule } from './task-thread.ts';
import { createFairQueue } from '../sharing/fair-queue.ts';
import type { Tenant } from '../sharing/fair-shares.ts';

export type WorkerPoolOptions = {
  /** Address (file:) of the module whose exported function `name` takes the tasks. */
  module: URL;
  name: string;
  threads: number;
  /** Tasks that may wait for a thread; beyond it one of the tenant that has most of them is refused. */
  waitingMax: number;
  /** Milliseconds that one task may run; then its thread is ended and replaced. */
  taskMs: number;
  /** CPU milliseconds that one task may use; then its thread is ended and replaced. Absent: as many as `taskMs`. */
  cpuMs?: number;
  /** Memory of one thread; one that needs more is ended and replaced. */
  heapMegabytesMax: number;
};

export type RunOptions = {
  transfer?: ArrayBuffer[];
  signal?: AbortSignal;
  /** Whose task it is, for fair shares; absent: the service's own. */
  tenant?: Tenant;
};

export type WorkerPool<Task, Result> = {
  /**
   * Runs a task on a free thread. Throws `Failure('overloaded')` when too many wait or no thread can be started, TaskTimedOut, TaskCrashed when the
   * thread ended under it, or the reason of `signal`.
   */
  run(task: Task, options?: RunOptions): Promise<Result>;
  /** Starts the first thread, which the first task would otherwise start. Rejects when it cannot start. */
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A task ran longer, or used more CPU time, than it may. */
export class TaskTimedOut extends Error {}
/** The thread of a task ended, or the task threw. */
export class TaskCrashed extends Error {}

/** Threads of a pool at least: what one caller asks for then leaves one to the others. */
export const THREADS_MIN = 2;

/** Threads of a pool, one less than there are cores: the event loop has the other. */
export function threadsByCores(): number {
  return Math.max(THREADS_MIN, availableParallelism() - 1);
}

/** Threads for work that would hold up the event loop. Tasks and results are plain data. */
export function createWorkerPool<Task, Result>(options: WorkerPoolOptions): WorkerPool<Task, Result> {
  // Made with the first task, for commands that need no threads.
  let piscina: Piscina<Measured<Task>, Result> | null = null;
  const lost = new WeakSet<Piscina<Measured<Task>, Result>>();
  const start = (): Piscina<Measured<Task>, Result> => {
    const taskModule: TaskModule = { module: options.module.href, name: options.name };
    const pool = new Piscina<Measured<Task>, Result>({
      filename: new URL('./task-thread.ts', import.meta.url).href,
      name: 'measuredTask',
      workerData: taskModule,
      minThreads: 1,
      maxThreads: options.threads,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytesMax },
    });
    // Unheard, the event would end the process.
    pool.on('error', (error: Error) => {
      // The answer of a task that was ended in that very moment: nobody waits for it.
      if (error.message.startsWith('Unexpected message from Worker')) return;
      // A thread could not start. The pool would not replace it, and leave tasks waiting for it; the next task starts another.
      lost.add(pool);
      if (piscina === pool) piscina = null;
      void pool.destroy();
    });
    return pool;
  };
  // The time of a task counts from its start, not from its queueing, so tasks wait for their thread here.
  const threads = createFairQueue({
    slots: options.threads,
    waitingMax: options.waitingMax,
    overloaded: () => new Failure('overloaded', 'Too many pages wait to be read; try again in a moment.'),
  });
  return {
    run: (task, { transfer = [], signal, tenant } = {}) =>
      threads.run({ tenant, signal }, async () => {
        const pool = startedOr503(() => (piscina ??= start()));
        return runWithin(pool, {
          ...{ task, transfer, signal, taskMs: options.taskMs, cpuMs: options.cpuMs ?? options.taskMs },
          isLost: () => lost.has(pool),
        });
      }),
    async start() {
      if (piscina !== null) return;
      piscina = start();
      await Promise.all(piscina.threads.map((thread) => once(thread, 'online')));
    },
    close: async () => piscina?.destroy(),
  };
}

function startedOr503<Pool>(start: () => Pool): Pool {
  try {
    return start();
  } catch (error) {
    throw noThread(error);
  }
}

/** The system has no more descriptors, memory or threads: for a moment, one hopes. */
function noThread(cause: unknown): Failure {
  return new Failure('overloaded', 'No worker thread can be started; try again in a moment.', { cause });
}

type Measured<Task> = { task: Task; meter: TaskMeter };

type Running<Task> = {
  task: Task;
  transfer: ArrayBuffer[];
  signal: AbortSignal | undefined;
  taskMs: number;
  cpuMs: number;
  /** Whether the pool was given up, because a thread could not start. */
  isLost(): boolean;
};

async function runWithin<Task, Result>(
  piscina: Piscina<Measured<Task>, Result>,
  { task, transfer, signal, taskMs, cpuMs, isLost }: Running<Task>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), taskMs);
  const meter: TaskMeter = new Int32Array(new SharedArrayBuffer(8));
  const stopWatching = whenOver(
    cpuMs,
    () => cpuUsedMs(piscina, meter),
    () => late.abort(),
  );
  try {
    return await piscina.run(
      { task, meter },
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

/** Between two looks at the CPU time of a task that waits for its turn on a busy machine. */
const LOOK_MS_MIN = 50;

/** Calls `end` when `used` has reached `cpuMs`; it cannot before as much time has passed. Gives a function that stops looking. */
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
async function cpuUsedMs({ threads }: Pick<Piscina, 'threads'>, meter: TaskMeter): Promise<number> {
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
