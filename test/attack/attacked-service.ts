import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { programPath } from '../fixtures/program.ts';

/** The real service in a separate process, as an attacker reaches it. */
export type AttackedService = {
  /** Such as `http://127.0.0.1:40123`. */
  address: string;
  port: number;
  pid: number;
  dataDir: string;
  /** What the service logged so far, one JSON line each. */
  log: string[];
  child: ChildProcess;
  /** Peak resident memory since the start, in bytes. */
  rssPeak(): number;
  /** CPU time used by all threads since the start, in milliseconds. */
  cpuMs(): number;
  /** Asserts that the process is running, answers /healthz and has stayed below RSS_BYTES_MAX. */
  assertUnharmed(): Promise<void>;
  /** Sends SIGTERM and resolves to exit code and signal. */
  end(): Promise<[code: number | null, signal: string | null]>;
};

export const RSS_BYTES_MAX = 1_073_741_824;
const START_MS = 240_000;
const HEALTH_MS = 10_000;
const LOG_LINES_MAX = 100_000;
/** Linux reports CPU time in units of 1/100 s on every architecture (USER_HZ). */
const MS_PER_TICK = 10;

/**
 * Starts `sanderling serve` on a free loopback port with an empty data folder; both end with the test. No upstream source is asked
 * unless `settings`, which are environment variables, enable one. `wrapper` is a command that must `exec` the service, such as
 * `['prlimit', '--nofile=256']`.
 */
export async function startAttacked(
  t: TestContext,
  settings: Record<string, string> = {},
  { wrapper = [] }: { wrapper?: string[] } = {},
): Promise<AttackedService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-attack-'));
  const [command = '', ...args] = [...wrapper, process.execPath, programPath(), 'serve'];
  const child = spawn(command, args, {
    // In another folder the service might read a developer's .env.
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      RECALL: 'index',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as ReturnType<AttackedService['end']>;
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  });
  const log = keepLines(child);
  const address = await addressOf(child, log);
  const pid = child.pid ?? assert.fail('the service has no process id');
  const rssPeak = (): number => peakOf(pid);
  return {
    address,
    port: Number(new URL(address).port),
    pid,
    dataDir,
    log,
    child,
    rssPeak,
    cpuMs: () => cpuMsOf(pid),
    async assertUnharmed() {
      assert.deepEqual([child.exitCode, child.signalCode], [null, null], log.slice(-20).join('\n'));
      const health = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) });
      assert.equal(health.status, 200);
      assert.ok(rssPeak() < RSS_BYTES_MAX, `the service held ${Math.round(rssPeak() / 1_048_576)} MB`);
    },
    end() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function keepLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.slice(0, LOG_LINES_MAX - lines.length));
  });
  return lines;
}

function addressOf(child: ChildProcess, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string): void => reject(new Error([why, printed, ...log].join('\n')));
    const timer = setTimeout(() => fail('the service did not start in time'), START_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      fail('the service exited while starting');
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (printed.length < 10_000) printed += text;
      const address = /serves on (http:\S+)/.exec(printed)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

/** Peak resident memory in bytes: `VmHWM` in /proc/<pid>/status. */
function peakOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  assert.ok(kilobytes, 'no peak of resident memory');
  return Number(kilobytes) * 1_024;
}

/** CPU time: `utime` and `stime` of /proc/<pid>/stat, 11 and 12 fields after the name in parentheses. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
