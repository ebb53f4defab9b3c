import assert from 'node:assert/strict';
import { threadId } from 'node:worker_threads';
import { workerData } from 'piscina';

/** Shared by a task and its pool: the id of its thread, and the CPU milliseconds that the thread had used before the task. */
export type CpuMeter = Int32Array<SharedArrayBuffer>;

/** For each function that runs as a task, the address of the module that exports it. */
export type TaskModules = Readonly<Record<string, string>>;

/** What the pool sends to a thread. */
export type TaskCall = { name: string; args: readonly unknown[]; meter: CpuMeter };

type TaskFunction = (...args: readonly unknown[]) => unknown;

/** Loaded before the first task, so that no task pays for it with its CPU time. */
const functions = new Map<string, TaskFunction>();
for (const [name, address] of Object.entries(workerData as TaskModules)) {
  const exported = (await import(address)) as Record<string, TaskFunction>;
  const task = exported[name];
  assert(task !== undefined, `${address} exports no ${name}`);
  functions.set(name, task);
}

/** Runs a task in a worker thread, after it has written the thread and its CPU time to the meter. */
export function runTask({ name, args, meter }: TaskCall): unknown {
  const { user, system } = process.threadCpuUsage();
  meter[1] = Math.round((user + system) / 1_000);
  Atomics.store(meter, 0, threadId);
  return functions.get(name)?.(...args);
}
