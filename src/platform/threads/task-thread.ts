import assert from 'node:assert/strict';
import { serveCalls } from './serve-calls.ts';
import { isFaultOfModule } from './thread.ts';

/** Memory shared by a task and its pool: 1 once the task runs, and the CPU milliseconds that its thread had used before. */
export type CpuMeter = Int32Array<SharedArrayBuffer>;

type TaskAddress = { module: string; name: string };
type TaskFunction = (...args: readonly unknown[]) => unknown;

/** Calls that a thread of a task pool serves. */
export type TaskCalls = {
  load(tasks: TaskAddress[]): Promise<void>;
  run(
    task: TaskAddress & { args: readonly unknown[]; meter: CpuMeter },
  ): Promise<{ value: unknown } | { notLoaded: string; isBroken: boolean }>;
};

const functions = new Map<string, TaskFunction>();

serveCalls({
  async load(tasks) {
    for (const task of tasks) await load(task);
  },
  async run({ args, meter, ...task }) {
    let run: TaskFunction;
    try {
      run = await load(task);
    } catch (error) {
      return {
        notLoaded: error instanceof Error ? error.message : String(error),
        isBroken: isFaultOfModule(error),
      };
    }
    // Measured after loading, which does not count towards the task's CPU time.
    const { user, system } = process.threadCpuUsage();
    meter[1] = Math.round((user + system) / 1_000);
    Atomics.store(meter, 0, 1);
    return { value: await run(...args) };
  },
} satisfies TaskCalls);

async function load({ module, name }: TaskAddress): Promise<TaskFunction> {
  const key = `${module}#${name}`;
  const loaded = functions.get(key);
  if (loaded !== undefined) return loaded;
  const exported = (await import(module)) as Record<string, TaskFunction>;
  const task = exported[name];
  assert(task !== undefined, `${module} exports no ${name}`);
  functions.set(key, task);
  return task;
}
