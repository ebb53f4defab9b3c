import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { cpuMsSince } from '../../test/fixtures/cpu-time.ts';
import { drawn, pdfOfPages } from '../../test/fixtures/pdf.ts';
import { Failure } from '../contract/errors.ts';
import { systemClock } from '../platform/clock.ts';
import { POOL_LIMITS } from '../platform/threads/pool-limits.ts';
import { createTaskPool, type TaskPool, TaskStarved, TaskTimedOut } from '../platform/threads/task-pool.ts';
import { validateSelector } from './extract/selector.ts';
import { createExtractWorker } from './extract-worker.ts';

const signal = new AbortController().signal;
const page = (html: string) => ({
  bytes: new Uint8Array(new TextEncoder().encode(html)),
  url: 'https://e.org/',
  contentType: 'text/html; charset=utf-8',
  status: 200,
});

describe('the extract worker', () => {
  const pool = createTaskPool({ ...POOL_LIMITS, threads: 1, pageThreads: 1 });
  let now = Date.parse('2024-05-06T12:00:00Z');
  const worker = createExtractWorker(pool, { now: () => now });
  after(() => pool.close());

  test('the language of the text is the declared one, else a guess', async () => {
    const textLanguage = async (html: string): Promise<unknown> => {
      const extracted = await worker.extract(page(html), signal);
      assert.ok(extracted.ok);
      return [extracted.article.language, extracted.article.textLanguage];
    };
    const german = '<p>Die Vögel der Küste gehen am Rand des Wassers und picken auf, was von ihm bleibt.</p>';
    assert.deepEqual(await textLanguage(`<html lang="nl">${german}`), ['nl', 'nl']);
    assert.deepEqual(await textLanguage(german), [null, 'de']);
    assert.deepEqual(await textLanguage('<p>12345 67890</p>'), [null, null]);
  });

  test('a day that is still to come everywhere is no date of a page, and the next place is asked', async () => {
    const dates = async (html: string): Promise<unknown> => {
      const extracted = await worker.extract(page(html), signal);
      assert.ok(extracted.ok);
      return [extracted.article.published?.day ?? null, extracted.article.modified?.day ?? null];
    };
    const declared = (published: string, modified: string): string =>
      `<meta name="date" content="${published}"><meta name="lastmod" content="${modified}"><h1>High water</h1><time datetime="2023-01-02">x</time><p>Words.</p>`;
    assert.deepEqual(await dates(declared('2024-05-07', '2024-05-07')), ['2024-05-07', '2024-05-07']);
    assert.deepEqual(await dates(declared('2024-05-08', '2024-05-08')), ['2023-01-02', null]);
    now += 86_400_000;
    assert.deepEqual(await dates(declared('2024-05-08', '2024-05-08')), ['2024-05-08', '2024-05-08']);
    const matter = { ...page('---\ndate: 2031-01-01\n---\nWords.'), contentType: 'text/markdown' };
    const extracted = await worker.extract(matter, signal);
    assert.ok(extracted.ok);
    assert.equal(extracted.article.published, null);
  });

  test("an operator's rule holds for the pages of its site only", async () => {
    const drop = validateSelector('.promo');
    assert.ok(typeof drop === 'string');
    const rule = { keep: [], drop: [drop], dataTables: [], layoutTables: [] };
    const ruled = createExtractWorker(pool, systemClock, new Map([['e.org', rule]]));
    const read = async (url: string): Promise<string> => {
      const html = '<h1>High water</h1><p>The quay floods twice a month.</p><p class="promo">Buy boots.</p>';
      const extracted = await ruled.extract({ ...page(html), url }, signal);
      assert.ok(extracted.ok);
      return extracted.article.markdown;
    };
    assert.doesNotMatch(await read('https://tides.e.org/quay'), /boots/);
    assert.match(await read('https://other.example/quay'), /boots/);
  });

  test('bytes are transferred and return as an article', async () => {
    const task = page('<title>T</title><p>Some words to read on this page.</p>');
    const extracted = await worker.extract(task, signal);
    assert.ok(extracted.ok);
    assert.equal(extracted.article.title, 'T');
    assert.equal(task.bytes.byteLength, 0);
  });

  test('a PDF is read in the pool, and one that is refused says why', async () => {
    const read = (bytes: Uint8Array<ArrayBuffer>) =>
      worker.extract({ bytes, url: 'https://e.org/a', contentType: null, status: 200 }, signal);
    const text = drawn([{ x: 50, y: 700, text: 'Some words to read on this page.' }]);
    const extracted = await read(pdfOfPages([text]));
    assert.ok(extracted.ok);
    assert.equal(extracted.article.markdown, 'Some words to read on this page.');
    assert.equal(extracted.article.textLanguage, 'en');
    assert.deepEqual(await read(pdfOfPages([])), {
      ok: false,
      reason: 'empty',
      message: 'the document has no text',
    });
  });

  test('5 MB of nested tags do not block the event loop', async () => {
    const task = page('<div><b>'.repeat(650_000));
    const since = process.threadCpuUsage();
    const extracted = await worker.extract(task, signal).catch((error: unknown) => error);
    const ms = cpuMsSince(since);
    assert.ok(ms < 500, `${ms} ms of CPU time beside the pool`);
    assert.ok(extracted instanceof Failure || (extracted as { ok: boolean }).ok === false);
  });
});

test('a page for which the machine has no time is refused for now, one that takes too long is not', async () => {
  const failureAfter = (error: Error): Promise<unknown> => {
    const pool = { run: () => Promise.reject(error) } as unknown as TaskPool;
    return createExtractWorker(pool, systemClock)
      .extract(page('<p>Words'), signal)
      .catch((failure: Failure) => [failure.code, failure.fetch?.reason]);
  };
  assert.deepEqual(await failureAfter(new TaskStarved('no time')), ['overloaded', undefined]);
  assert.deepEqual(await failureAfter(new TaskTimedOut('too long')), ['fetch_failed', 'undecodable']);
});
