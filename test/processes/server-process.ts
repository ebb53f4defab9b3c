import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { programPath } from '../fixtures/program.ts';
import { waitFor } from '../fixtures/wait-for.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape and asserts what it finds
type Json = any;

/** A server in a process of its own, with its data in a folder. */
export type ServerProcess = {
  address: string;
  get(path: string, headers?: Record<string, string>): Promise<Json>;
  search(query: string, headers?: Record<string, string>): Promise<Json>;
  /** Resolves when a search has been answered in time: the threads that search have started then, however busy the machine is. */
  warmUp(query: string): Promise<void>;
  /** Resolves when /readyz names no rebuild any more. */
  rebuilt(): Promise<void>;
  /** The process that was started; its workers are its children. */
  pid: number;
  /** SIGSTOP: its connections stay open, and nothing in it goes on. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM; the exit code must be 0. */
  end(): Promise<void>;
};

export async function startServer(
  t: Pick<TestContext, 'after'>,
  folder: string,
  settings: Record<string, string> = {},
  options: string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [programPath(), 'serve', ...options], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      PORT: '0',
      RECALL: 'index',
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const address = await addressIn(createInterface({ input: child.stdout }));
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Json> =>
    (await fetch(address + path, { headers })).json();
  const post = (query: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${address}/v1/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
  return {
    address,
    get,
    async search(query, headers = {}) {
      const response = await post(query, headers);
      assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
      return response.json();
    },
    async warmUp(query) {
      await waitFor(async () => {
        const response = await post(query, {});
        await response.text();
        return response.status === 200;
      });
    },
    async rebuilt() {
      await waitFor(async () => (await get('/readyz')).index === undefined);
    },
    pid: child.pid ?? 0,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async end() {
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    },
  };
}

async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /serves on (http:\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  assert.fail('the server did not start');
}

/** The worker processes, which are the children of the one that was started. */
export function workersOf({ pid }: Pick<ServerProcess, 'pid'>): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}
