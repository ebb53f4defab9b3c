import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from '../fixtures/program.ts';

export type Ended = { code: number; out: string; err: string };

/** Runs the command line as a process of its own, with its data in `folder`. */
export function runCli(
  folder: string,
  args: string[],
  settings: Record<string, string> = {},
): Promise<Ended> {
  return startCli(folder, args, settings).end;
}

/** Starts it; `end` resolves when it has ended. */
export function startCli(
  folder: string,
  args: string[],
  settings: Record<string, string>,
): { child: ChildProcessWithoutNullStreams; end: Promise<Ended> } {
  const env = { PATH: process.env.PATH, RECALL: 'index', DATA_DIR: folder, PORT: '0', ...settings };
  const child = spawn(process.execPath, [programPath(), ...args], { cwd: folder, env });
  let out = '';
  let err = '';
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const end = once(child, 'close').then(([code]) => ({ code, out, err }));
  return { child, end };
}
