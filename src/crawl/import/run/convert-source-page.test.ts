import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../contract/errors.ts';
import { type ExtractTask, extractPage } from '../../../pages/extract-task.ts';
import { convertSourcePage } from './convert-source-page.ts';

const { signal } = new AbortController();
const bytes = new TextEncoder().encode(
  '<title>Birds</title><p>The sanderling runs along the edge of the surf.</p>',
);
const page = { url: 'https://e.org/', body: { bytes, contentType: 'text/html' }, fetchedAt: 1 };

/** A pool that fails so many times, and takes the bytes with it each time. */
async function readAfter(failures: number, failure: Error): Promise<{ read: unknown; pauses: number[] }> {
  const pauses: number[] = [];
  let asked = 0;
  const deps = {
    extract: {
      async extract(task: ExtractTask) {
        const received = structuredClone(task, { transfer: [task.bytes.buffer] });
        asked += 1;
        if (asked <= failures) throw failure;
        return extractPage(received, 'html', null);
      },
    },
    clock: { now: () => 0 },
    pause: async (ms: number) => void pauses.push(ms),
  };
  const found = await convertSourcePage(page, deps, signal);
  return { read: 'page' in found ? found.page.title : found.problem, pauses };
}

describe('a page that cannot be extracted', () => {
  const busy = new Failure('overloaded', 'The machine is too busy.');

  test('because the machine is busy is tried again, later each time', async () => {
    assert.deepEqual(await readAfter(3, busy), { read: 'Birds', pauses: [1_000, 2_000, 4_000] });
  });

  test('is given up after six tries', async () => {
    const { read, pauses } = await readAfter(6, busy);
    assert.deepEqual([read, pauses.length], ['The machine is too busy.', 5]);
  });

  test('because a part of the program is missing ends the import', async () => {
    const cause = new Error("Cannot find package 'css-select'");
    const broken = new Failure('internal', 'A part of this server cannot be loaded.', { cause });
    await assert.rejects(readAfter(1, broken), broken);
  });

  test('because of itself is not tried again', async () => {
    const slow = createFetchFailure('undecodable', 'reading the page takes too much CPU time');
    assert.deepEqual(await readAfter(1, slow), { read: slow.message, pauses: [] });
  });
});
