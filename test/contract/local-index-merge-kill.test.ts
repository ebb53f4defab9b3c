import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openIndexReader } from '../../src/index/index-reader.ts';
import { openIndexWriter } from '../../src/index/index-writer.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { mergedPage } from './merged-pages.ts';

const ROUNDS = 2;
const PAGES = 60;
const folder = mkdtempSync(join(tmpdir(), 'local-index-merge-kill-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Segments that are whole, and those that a merge has begun to write. */
function segmentsOf(path: string): { whole: number; begun: number } {
  const database = new DatabaseSync(path, { readOnly: true });
  const counted = database
    .prepare('select coalesce(sum(is_whole), 0) as whole, count(*) as segments from segment')
    .get();
  database.close();
  const whole = Number(counted?.whole);
  return { whole, begun: Number(counted?.segments) - whole };
}

const found = (path: string, number: number): string[] => {
  const reader = openIndexReader({ path });
  const query = { ...NO_FILTERS, query: readQuery(`marker${number}x`), limit: 3 };
  const urls = reader.search(query).map(({ url }) => url);
  reader.close();
  return urls;
};

test('a process that is killed in the middle of a merge loses nothing, and the next one merges anew', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = join(folder, `index-${round}.db`);
    const writer = openIndexWriter(path);
    for (let number = 0; number < PAGES; number += 1) writer.apply([{ at: 1, put: [mergedPage(number)] }]);
    writer.apply([{ at: 1, remove: [mergedPage(3).url] }]);
    writer.close();
    const before = segmentsOf(path);
    await mergeUntilKilled(path, round + 1);
    const killed = segmentsOf(path);
    assert.deepEqual(killed, { whole: before.whole, begun: 1 });
    for (const number of [0, 37, PAGES - 1]) assert.deepEqual(found(path, number), [mergedPage(number).url]);
    assert.deepEqual(found(path, 3), []);

    const next = openIndexWriter(path);
    assert.deepEqual(next.problems(), []);
    for (let steps = 0; next.upkeep(null).more; steps += 1) assert.ok(steps < 10_000);
    assert.deepEqual(next.problems(), []);
    assert.ok(segmentsOf(path).whole < before.whole);
    next.close();
    for (const number of [0, 37, PAGES - 1]) assert.deepEqual(found(path, number), [mergedPage(number).url]);
    assert.deepEqual(found(path, 3), []);
  }
});

/** A process makes so many steps of a merge, says so, and is killed. */
async function mergeUntilKilled(path: string, steps: number): Promise<void> {
  const merging = spawn(
    process.execPath,
    [join(import.meta.dirname, 'local-index-merging.ts'), path, String(steps)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve) => merging.once('exit', resolve));
  for await (const chunk of merging.stdout) {
    if (String(chunk).includes('merging')) merging.kill('SIGKILL');
  }
  await ended;
  assert.equal(merging.signalCode, 'SIGKILL');
}
