// Usage: node warm-up.mjs <project folder>. Starts the server over an empty folder, searches once and stops it, so that the modules
// are in the compile cache of NODE_COMPILE_CACHE. Exits with 1 if the server does not answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ANSWER_MS_MAX = 60_000;

const [project] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
// Nobody outside is asked.
const settings = { DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0', RECALL: 'index', LOG_LEVEL: 'warn' };
const server = spawn(process.execPath, [join(project, 'bin/sanderling.js'), 'serve'], {
  cwd: folder,
  env: { ...process.env, ...settings },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const exited = once(server, 'exit');
const giveUp = setTimeout(() => server.kill('SIGKILL'), ANSWER_MS_MAX);
let isWarm = false;
for await (const line of createInterface({ input: server.stdout })) {
  const address = /^Sanderling serves on (http:\S+)$/.exec(line)?.[1];
  if (address === undefined) continue;
  const answer = await fetch(`${address}/v1/search`, { method: 'POST', body: '{"query":"waders"}' });
  isWarm = answer.status === 200;
  server.kill('SIGTERM');
}
const [code] = await exited;
clearTimeout(giveUp);
rmSync(folder, { recursive: true, force: true });
process.exitCode = isWarm && code === 0 ? 0 : 1;
