import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '../..');

/** What is measured is the index, and nobody pays. */
const SETTINGS = { METERING: 'off', RECALL: 'index', LOG_LEVEL: 'warn' };

/** Runs `sanderling` with the arguments to its end, its output shown, and resolves to its exit code. */
export async function runCli(args: string[], settings: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...SETTINGS, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

export async function crawlWithCli(
  starts: string[],
  pages: number,
  settings: Record<string, string>,
): Promise<void> {
  const code = await runCli(['crawl', ...starts, '--pages', String(pages), '--delay', '0'], settings);
  if (code !== 0) throw new Error(`the crawl ended with ${code}`);
}

export type Server = { address: string; stop(): Promise<void> };

/** Starts the server as `npm start` does and waits for the address that it prints. */
export async function startServer(settings: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, ['bin/sanderling.js', 'serve'], {
    cwd: ROOT,
    env: { ...process.env, ...SETTINGS, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /serves on (http:\S+)/.exec(line)?.[1];
    if (address === undefined) continue;
    child.stdout.resume();
    return {
      address,
      async stop() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the server ended before it listened');
}
