import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeMadeParquet, writeMadeWarcs, writeMadeZim } from '../fixtures/corpora/made-files.ts';
import { COPY_EVERY } from '../fixtures/corpora/made-pages.ts';
import { contentsOf, countsOf, importAlone, type KillAt } from './killed-import.ts';

const KILLS = 10;
/** Enough that ten runs cannot finish it: a run is killed at the latest after its first batch. */
const PAGES = { parquet: 4_000, zim: 1_000, warc: 1_000 };
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
  const expected = (await importAlone(calm, path))?.summary;
  assert.ok(expected !== undefined);
  assert.equal(expected.failed, 0, expected.said.join('\n'));
  const copies = pages / COPY_EVERY;
  assert.ok(expected.copies > 0.9 * copies && expected.copies <= copies, `${expected.copies} copies folded`);
  assert.equal(expected.pages + expected.copies, pages);

  for (let kill = 0; kill < KILLS; kill += 1)
    assert.equal(
      await importAlone(killed, path, killAtOrAfterFirst(kill)),
      null,
      'it ended before it could be killed',
    );
  const resumed = (await importAlone(killed, path))?.summary;
  assert.deepEqual(countsOf(resumed), countsOf(expected));
  const looked = { step: 37, searches: 28 };
  const contents = await contentsOf(killed, looked);
  assert.equal(contents.pages, expected.pages);
  assert.ok(contents.found.every((urls) => urls.length > 0));
  assert.deepEqual(contents, await contentsOf(calm, looked));
}

/** Half of the runs are killed before, half after their first batch, each after another delay. */
const killAtOrAfterFirst =
  (kill: number): KillAt =>
  (pages) =>
    (pages === null) === (kill % 2 === 0) ? (kill * 37) % DELAY_MS_MAX : null;
