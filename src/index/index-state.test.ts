import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createIndexState } from './index-state.ts';
import { openIndexWriter } from './index-writer.ts';

describe('the state of an index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-state-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const page = (url: string) => ({
    url,
    title: 'A',
    markdown: 'A page.',
    headings: [],
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: 10,
    fetchedAt: 1,
  });

  test('follows every change of pages and every forgetting, and nothing else', async () => {
    const path = join(folder, 'index.db');
    const writer = openIndexWriter(path);
    const state = createIndexState(path);
    const before = state.read() ?? assert.fail();
    writer.apply([{ use: ['https://example.org/'], at: 1 }]);
    await setImmediate();
    assert.deepEqual(state.read(), before);
    writer.apply([{ put: [page('https://example.org/')], at: 1 }]);
    assert.deepEqual(state.read(), before, 'as of this turn');
    await setImmediate();
    assert.deepEqual(state.read(), { changes: before.changes + 1, epoch: before.epoch });
    writer.apply([{ forget: ['https://example.org/'], at: 1 }]);
    await setImmediate();
    assert.deepEqual(state.read(), { changes: before.changes + 2, epoch: before.epoch + 1 });
    state.close();
    writer.close();
  });

  test('is unknown while there is no file, and is read when there is one', () => {
    const path = join(folder, 'later.db');
    const state = createIndexState(path);
    assert.equal(state.read(), null);
    const writer = openIndexWriter(path);
    assert.notEqual(state.read(), null);
    state.close();
    writer.close();
  });
});
