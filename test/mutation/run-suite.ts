import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { groupBytes, processMemory } from './group-memory.ts';
import { failedTest, type Outcome } from './outcome.ts';

export type SuiteBounds = {
  ms: number;
  /** How long the suite may go on after its first failure, to clean up. */
  msAfterFailure: number;
  /** Resident memory of all its processes together. */
  bytes: number;
};

const MEMORY_CHECK_MS = 250;

/** Process groups of the suites that are running. */
const running = new Set<number>();

/** Runs test files in a process group of their own, which is killed when it exceeds a bound, and at its end. */
export async function runSuite(
  files: string[],
  { folder, env, bounds }: { folder: string; env: NodeJS.ProcessEnv; bounds: SuiteBounds },
): Promise<Outcome> {
  const child = spawn(process.execPath, ['--test', '--test-force-exit', '--test-reporter=tap', ...files], {
    cwd: folder,
    env: withoutTestContext(env),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { pid: group } = child;
  if (group === undefined) throw (await once(child, 'error'))[0];
  running.add(group);
  // Processes that the tests started may outlive the runner.
  const exit = once(child, 'exit').finally(() => killGroup(group));
  let outcome: Outcome | null = null;
  const end = (by: Outcome): void => {
    outcome ??= by;
    killGroup(group);
  };
  const memoryCheck = setInterval(() => {
    if (groupBytes(processMemory(), group) > bounds.bytes) end({ kind: 'memory' });
  }, MEMORY_CHECK_MS);
  const timers = [memoryCheck, setTimeout(end, bounds.ms, { kind: 'time' })];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const test = failedTest(line);
    if (test === null || outcome !== null) return;
    outcome = { kind: 'failed', test };
    timers.push(setTimeout(killGroup, bounds.msAfterFailure, group));
  });
  const [[code]] = await Promise.all([exit, once(child.stdout, 'close')]);
  for (const timer of timers) clearTimeout(timer);
  running.delete(group);
  return outcome ?? (code === 0 ? { kind: 'passed' } : { kind: 'failed', test: `exit code ${code}` });
}

/** Kills the processes of every suite that is running. */
export function killSuites(): void {
  for (const group of running) killGroup(group);
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Within a test run, Node's runner would skip the files. */
function withoutTestContext({ NODE_TEST_CONTEXT: _, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}
