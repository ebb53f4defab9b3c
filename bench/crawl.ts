/**
 * Kills a crawl and checks what is left: serves the manuals of Debian's `python3.11-doc` and `postgresql-doc-15` on loopback, crawls
 * them with the command line, and kills it with SIGKILL after a random time, again and again.
 *
 *   node bench/crawl.ts --docs <folder with python3.11/html and postgresql-doc-15/html> [--kills 20]
 *
 * After every kill, the index must open and its tables agree; the same command then continues. In the end, the index holds as
 * many pages as after an undisturbed crawl.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import { createLog } from '../src/platform/log.ts';
import { startManuals } from './localweb/manuals.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES_MAX = 5_000;
/** A crawl is killed after at least this long, and at most twice as long. */
const KILL_AFTER_MS = 1_200;

const { values } = parseArgs({
  options: { docs: { type: 'string', default: '/usr/share/doc' }, kills: { type: 'string', default: '20' } },
});
const web = await startManuals(values.docs, ['python3.11-doc', 'postgresql-doc-15']);
const folder = mkdtempSync(join(tmpdir(), 'sanderling-crawl-'));

try {
  const undisturbed = join(folder, 'undisturbed');
  const begun = performance.now();
  await crawl(undisturbed, null);
  const seconds = (performance.now() - begun) / 1_000;
  const whole = await look(undisturbed);
  console.log(
    `undisturbed: ${whole.pages} pages in ${seconds.toFixed(1)} s, ${(whole.pages / seconds).toFixed(1)} pages/s`,
  );

  const disturbed = join(folder, 'disturbed');
  for (let kill = 1; kill <= Number(values.kills); kill += 1) {
    const ended = await crawl(disturbed, KILL_AFTER_MS * (1 + Math.random()));
    const { pages, problems } = await look(disturbed);
    console.log(
      `kill ${String(kill).padStart(2)}: ${ended}, ${pages} pages, ${problems.length === 0 ? 'tables agree' : problems.join('; ')}`,
    );
    if (problems.length > 0) process.exitCode = 1;
  }
  await crawl(disturbed, null);
  const end = await look(disturbed);
  console.log(
    `resumed to the end: ${end.pages} pages, ${end.problems.length === 0 ? 'tables agree' : end.problems.join('; ')}`,
  );
  if (end.pages !== whole.pages || end.problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  await web.close();
}

async function crawl(dataDir: string, killAfterMs: number | null): Promise<string> {
  const starts = web.origins.map((origin) => `${origin}/index.html`);
  const child = spawn(
    process.execPath,
    ['src/cli.ts', 'crawl', ...starts, '--pages', String(PAGES_MAX), '--delay', '0'],
    {
      cwd: ROOT,
      env: { ...process.env, ...web.settings, DATA_DIR: dataDir },
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'exit');
  if (killAfterMs === null) {
    await ended;
    return 'ended';
  }
  await Promise.race([ended, wait(killAfterMs)]);
  const killed = child.exitCode === null;
  child.kill('SIGKILL');
  await ended;
  return killed ? `killed after ${Math.round(killAfterMs)} ms` : 'had ended';
}

async function look(dataDir: string): Promise<{ pages: number; problems: string[] }> {
  const index = await createLocalIndex({ path: join(dataDir, 'index.db'), log: createLog('silent') });
  try {
    return { pages: (await index.size()).pages, problems: await index.problems() };
  } finally {
    await index.close();
  }
}
