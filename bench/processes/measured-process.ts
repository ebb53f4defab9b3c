import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as later } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');
/** Linux reports CPU time in units of 1/100 s on every architecture (USER_HZ). */
const MS_PER_TICK = 10;
const READY_MS_MAX = 60_000;
const READY_POLL_MS = 5;

/** A server that answered `/readyz` with 200. */
export type MeasuredProcess = {
  address: string;
  /** Milliseconds from the start of the process to that answer. */
  readyMs: number;
  /** CPU milliseconds that the process had used by then. */
  readyCpuMs: number;
  /** Memory as Linux counts it now; `ownMb` leaves out what is mapped from files, such as Node's own code. */
  memory(): { residentMb: number; ownMb: number; threads: number; descriptors: number };
  /** CPU milliseconds that the process and its workers have used so far. */
  cpuMs(): number;
  stop(): Promise<void>;
};

/** The command of `npm start`, without `node`. */
export function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return scripts.start.split(' ').slice(1);
}

/** Arguments of a server of the framework alone, with `threads` threads that do nothing. */
export const bareFastify = (threads: number): string[] => [
  'bench/processes/bare-fastify.mjs',
  String(threads),
];

/** A folder for the data and the compile cache of one server, and the settings that name them. */
export function createPlace(): { settings: Record<string, string>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-bench-'));
  return {
    settings: {
      HOST: '127.0.0.1',
      PORT: '0',
      RECALL: 'index',
      LOG_LEVEL: 'silent',
      METERING: 'off',
      DATA_DIR: join(folder, 'data'),
      TMPDIR: folder,
      FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts a server, which prints its address, and waits until it is ready. `quiet`: its log is thrown away, but written. */
export async function startMeasured(
  args: string[],
  settings: Record<string, string>,
  { quiet = false }: { quiet?: boolean } = {},
): Promise<MeasuredProcess> {
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  const address = await untilReady(child, start).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const readyMs = performance.now() - start;
  const pid = child.pid ?? 0;
  return {
    address,
    readyMs,
    readyCpuMs: cpuMsOf(pid),
    memory: () => memoryOf(pid),
    cpuMs: () => familyOf(pid).reduce((sum, one) => sum + cpuMsOf(one), 0),
    stop,
  };
}

/** Resolves to its address. */
async function untilReady(child: ChildProcess, start: number): Promise<string> {
  const address = await addressOf(child);
  while (!(await isReady(address))) {
    if (performance.now() - start > READY_MS_MAX) throw new Error('the server did not become ready');
    await later(READY_POLL_MS);
  }
  return address;
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the output of the server is not read');
  for await (const line of createInterface({ input: stdout })) {
    const address = /serves on (http:\S+)/.exec(line)?.[1];
    if (address === undefined) continue;
    stdout.resume();
    return address;
  }
  throw new Error('the server ended before it listened');
}

async function isReady(address: string): Promise<boolean> {
  const response = await fetch(`${address}/readyz`);
  await response.text();
  return response.status === 200;
}

/** `utime` and `stime` of /proc/<pid>/stat, 11 and 12 fields after the name in parentheses. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** A process and those that it has started. */
function familyOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const started = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...started.flatMap(familyOf)];
}

function memoryOf(pid: number): ReturnType<MeasuredProcess['memory']> {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) / 1_024;
  return {
    residentMb: megabytes('Rss'),
    ownMb: megabytes('Anonymous'),
    threads: readdirSync(`/proc/${pid}/task`).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** The middle value; of an even number, the upper of the two. */
export function medianOf(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
