import { threadId } from 'node:worker_threads';
import { workerData } from 'piscina';

/** What a thread tells of the task it runs: its id, and the CPU milliseconds it had used before. */
export type TaskMeter = Int32Array<SharedArrayBuffer>;
/** The exported function `name` of `module` takes the tasks. */
export type TaskModule = { module: string; name: string };

const { module, name } = workerData as TaskModule; // set by the worker pool
const { [name]: work } = (await import(module)) as Record<string, (task: unknown) => unknown>;

/** Runs a task in a worker thread, after it has put the thread and its CPU time on the meter. */
export function measuredTask({ task, meter }: { task: unknown; meter: TaskMeter }): unknown {
  const { user, system } = process.threadCpuUsage();
  meter[1] = Math.round((user + system) / 1_000);
  Atomics.store(meter, 0, threadId);
  return work?.(task);
}
