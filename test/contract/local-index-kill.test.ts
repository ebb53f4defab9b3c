import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';

const ROUNDS = 5;
const folder = mkdtempSync(join(tmpdir(), 'local-index-kill-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a process that is killed while it writes loses no page that it had acknowledged', async () => {
  const path = join(folder, 'index.db');
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    await writeUntilKilled(path, round, acknowledged);
    const index = await createLocalIndex({ path, log: createLog('silent') });
    assert.deepEqual(await index.problems(), []);
    for (const url of acknowledged) assert.notEqual(await index.get(url), null, url);
    assert.ok((await index.size()).pages >= acknowledged.size);
    await index.close();
  }
  assert.ok(acknowledged.size > ROUNDS * 10, `only ${acknowledged.size} pages were written`);
});

/** Kills the writing process right after one of its acknowledgements, while the next writes are on their way. */
async function writeUntilKilled(path: string, round: number, acknowledged: Set<string>): Promise<void> {
  const writer = spawn(
    process.execPath,
    [join(import.meta.dirname, 'local-index-writing.ts'), path, String(round)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  let lines = 0;
  for await (const url of createInterface({ input: writer.stdout })) {
    acknowledged.add(url);
    lines += 1;
    if (lines === 25 + round * 13) writer.kill('SIGKILL');
  }
  await ended;
  assert.equal(writer.signalCode, 'SIGKILL');
}
