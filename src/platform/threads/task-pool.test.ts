import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

/** Uses up all descriptors, runs a task, gives them back, runs another. */
const SCRIPT = `
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createTaskPool } from '${new URL('./task-pool.ts', import.meta.url)}';
writeFileSync('task.mjs', 'export const work = (text) => text + " worked"');
const pool = createTaskPool({
  modules: { work: pathToFileURL('task.mjs') },
  limits: { threads: 2, waitingMax: 5, taskMs: 20000, heapMegabytesMax: 64 },
});
const run = () => pool.run('work', ['task']).catch((error) => error.code + ': ' + error.message);
const open = [];
const fill = () => { try { for (;;) open.push(openSync('/dev/null')); } catch {} };
fill();
console.log(await run());
console.log(await Promise.all([run(), run()]).then((all) => new Set(all).size));
for (const descriptor of open.splice(0)) closeSync(descriptor);
console.log(await run());
await pool.close();
`;

test('a thread that cannot start is a 503 for its task, and the next task starts another', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'task-pool-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n 128; exec "$0" --input-type=module -e "$1"', process.execPath, SCRIPT],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  assert.deepEqual((await text(child.stdout)).trim().split('\n'), [
    'overloaded: No worker thread can be started; try again in a moment.',
    '1',
    'task worked',
  ]);
  assert.deepEqual(await exited, [0, null]);
});
