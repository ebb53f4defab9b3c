import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

type Call = { module: string; name: string; input: unknown };

/** Calls an exported function of a module in a thread of its own; input and result are copied. */
export function inThread<Result>(module: URL, name: string, input: unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    const call: Call = { module: module.href, name, input };
    const worker = new Worker(new URL(import.meta.url), { workerData: call });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

if (!isMainThread && (workerData as Call | null)?.module !== undefined) void answer(workerData as Call);

/** Not awaited above: the module may import this one. A rejection ends the thread with its error. */
async function answer({ module, name, input }: Call): Promise<void> {
  const functions: Record<string, (input: unknown) => unknown> = await import(module);
  parentPort?.postMessage(await functions[name]?.(input));
}
