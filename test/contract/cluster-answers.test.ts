import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';

const page = (name: string, markdown: string): IndexedPage => ({
  url: `https://docs.example/${name}`,
  title: name,
  headings: [],
  markdown,
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: markdown.length,
  fetchedAt: 1,
});

const cluster = clusterForTests();
if (cluster !== null) {
  after(cluster.removeAll);

  test('an answer outlives what another process writes, unless that has to do with it', async () => {
    const [here, there] = [await cluster.open(), await cluster.openAgain()];
    const empty = await here.version();
    await there.put([
      page('codecs', 'Codecs turn sounds into numbers.'),
      page('shown', 'A page of the answer.'),
    ]);
    const since = await settled(here, empty);
    const subject = {
      texts: ['which waders nest'],
      urls: new Set(['https://docs.example/other']),
      read: new Map<string, number>(),
    };
    const isKept = async (index: LocalIndex): Promise<boolean> =>
      index.isUnaffected(since, await index.version(), subject);
    assert.ok(await isKept(here), 'nothing has changed');
    await there.put([page('formats', 'Formats hold what codecs make.')]);
    const changed = await settled(here, since);
    assert.ok(await isKept(here), 'a page without its words');
    assert.ok(await isKept(there), 'in the process that wrote it');
    const shown = { ...subject, urls: new Set(['https://docs.example/shown']) };
    assert.ok(!(await here.isUnaffected(since, await here.version(), shown)), 'one of its pages was written');
    await there.put([page('knots', 'Knots are waders of the north.')]);
    await settled(here, changed);
    assert.ok(!(await isKept(here)), 'a page with one of its words');
    await Promise.all([here.close(), there.close()]);
  });

  test('a removed page ends every answer', async () => {
    const [here, there] = [await cluster.open(), await cluster.openAgain()];
    const empty = await here.version();
    await there.put([page('codecs', 'Codecs turn sounds into numbers.')]);
    const since = await settled(here, empty);
    const subject = { texts: ['waders'], urls: new Set<string>(), read: new Map<string, number>() };
    await there.remove(['https://docs.example/codecs']);
    const now = await settled(here, since);
    assert.ok(!(await here.isUnaffected(since, now, subject)));
    await Promise.all([here.close(), there.close()]);
  });
}

/** Counters that were read before a change are kept for less than this. */
const COUNTERS_KEPT_MS = 300;
const CHANGE_MS_MAX = 30_000;

/** The version once it counts a change that another process has made, and no counter from before it is kept any more. */
async function settled(index: LocalIndex, before: string): Promise<string> {
  const changesOf = (version: string): string | undefined => version.split('/')[0];
  const end = Date.now() + CHANGE_MS_MAX;
  while (changesOf(await index.version()) === changesOf(before)) {
    assert.ok(Date.now() < end, 'the change is never counted');
    await pause(50);
  }
  await pause(COUNTERS_KEPT_MS);
  return index.version();
}
