import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ImportSummary } from '../../src/crawl/import/import-pages.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { writeMadeParquet, writeMadeWarcs, writeMadeZim } from '../fixtures/corpora/made-files.ts';
import { COPY_EVERY, madePage } from '../fixtures/corpora/made-pages.ts';

const KILLS = 20;
/** Enough that twenty runs cannot finish it: a run is killed at the latest after its first batch. */
const PAGES = { parquet: 8_000, zim: 2_000, warc: 2_000 };
const DELAY_MS_MAX = 120;

const folder = mkdtempSync(join(tmpdir(), 'import-chaos-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test(`Parquet: an import that is killed ${KILLS} times ends as one that was never interrupted`, async () => {
  const path = join(folder, 'made.parquet');
  await writeMadeParquet(path, PAGES.parquet);
  await compare(path, PAGES.parquet);
});

test(`ZIM: an import that is killed ${KILLS} times ends as one that was never interrupted`, async () => {
  const path = join(folder, 'made.zim');
  writeMadeZim(path, PAGES.zim);
  await compare(path, PAGES.zim);
});

test(`twenty WARC files: an import that is killed ${KILLS} times ends as one that was never interrupted`, async () => {
  const path = join(folder, 'warcs');
  writeMadeWarcs(path, { files: 20, pages: PAGES.warc });
  await compare(path, PAGES.warc);
});

async function compare(path: string, pages: number): Promise<void> {
  const [calm, killed] = [mkdtempSync(join(folder, 'calm-')), mkdtempSync(join(folder, 'killed-'))];
  const expected = await run(calm, path, null);
  assert.ok(expected !== null);
  assert.equal(expected.failed, 0, expected.problems.join('\n'));
  const copies = pages / COPY_EVERY;
  assert.ok(expected.copies > 0.9 * copies && expected.copies <= copies, `${expected.copies} copies folded`);
  assert.equal(expected.pages + expected.copies, pages);

  for (let kill = 0; kill < KILLS; kill += 1)
    assert.equal(await run(killed, path, kill), null, 'it ended before it could be killed');
  assert.deepEqual(await run(killed, path, null), expected);
  assert.deepEqual(await contentsOf(killed), await contentsOf(calm));
}

/** Runs the import; with the number of a kill it is killed on its way, at a place that depends on the number, and null returned. */
async function run(dataFolder: string, path: string, kill: number | null): Promise<ImportSummary | null> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'importing-process.ts'), dataFolder, path],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let summary: ImportSummary | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('end ')) {
      const { usage: _, ...ended } = JSON.parse(line.slice(4));
      summary = ended as ImportSummary;
    }
    // Half of the runs are killed before, half after their first batch.
    const isTime = kill !== null && line.startsWith(kill % 2 === 0 ? 'start' : 'batch');
    if (!isTime || child.killed) continue;
    await setTimeout((kill * 37) % DELAY_MS_MAX);
    child.kill('SIGKILL');
  }
  await ended;
  return child.signalCode === 'SIGKILL' ? null : summary;
}

/** What an index holds, and what it finds for a fixed list of searches. */
async function contentsOf(dataFolder: string): Promise<unknown> {
  const index = await createLocalIndex({ path: join(dataFolder, 'index.db'), log: createLog('silent') });
  try {
    assert.deepEqual(await index.problems(), []);
    const pages = await index.pages({ selector: null, after: null, limit: 100_000 });
    const found: string[][] = [];
    for (let number = 0; number < 1_000; number += 37) {
      const query = readQuery(madePage(number).paragraphs[0]?.split(' ').slice(3, 8).join(' ') ?? '');
      found.push((await index.search({ ...NO_FILTERS, query, limit: 10 })).map(({ url }) => url));
    }
    assert.ok(found.every((urls) => urls.length > 0));
    return { pages: pages.map(({ fetchedAt: _, ...page }) => page), found };
  } finally {
    await index.close();
  }
}
