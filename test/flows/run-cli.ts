import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const CLI = resolve(import.meta.dirname, '../../src/cli.ts');

export type Ended = { code: number; out: string; err: string };

/** The command line as a process of its own, with its data in `folder`. */
export async function runCli(
  folder: string,
  args: string[],
  settings: Record<string, string> = {},
): Promise<Ended> {
  const env = { PATH: process.env.PATH, RECALL: 'index', DATA_DIR: folder, PORT: '0', ...settings };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env });
  let out = '';
  let err = '';
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}
