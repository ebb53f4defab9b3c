import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cpuMsSince } from '../../test/fixtures/cpu-time.ts';
import { Failure } from '../contract/errors.ts';
import { createTaskPool, TaskCrashed, TaskTimedOut } from '../platform/threads/task-pool.ts';
import { createExtractWorker } from './extract-worker.ts';

const signal = new AbortController().signal;
const page = (html: string) => ({
  bytes: new Uint8Array(new TextEncoder().encode(html)),
  url: 'https://e.org/',
  contentType: 'text/html; charset=utf-8',
  status: 200,
});

const folder = mkdtempSync(join(tmpdir(), 'task-pool-'));
after(() => rmSync(folder, { recursive: true }));
let modules = 0;

/** A module of one function, for tasks that misbehave. */
function moduleOf(body: string): URL {
  modules += 1;
  const path = join(folder, `${modules}.mjs`);
  writeFileSync(path, `export function work(task) { ${body} }`);
  return pathToFileURL(path);
}

const poolOf = (body: string, options: { taskMs?: number; cpuMs?: number; waitingMax?: number } = {}) =>
  createTaskPool<{ work(task: string): string }>({
    modules: { work: moduleOf(body) },
    limits: { threads: 1, waitingMax: 10, taskMs: 60_000, cpuMs: 10_000, heapMegabytesMax: 128, ...options },
  });

describe('extract pool', () => {
  const pool = createExtractWorker({ threads: 1 });
  after(() => pool.close());

  test('the language of the text is the declared one, else a guess', async () => {
    const textLanguage = async (html: string): Promise<unknown> => {
      const extracted = await pool.extract(page(html), signal);
      assert.ok(extracted.ok);
      return [extracted.article.language, extracted.article.textLanguage];
    };
    const german = '<p>Die Vögel der Küste gehen am Rand des Wassers und picken auf, was von ihm bleibt.</p>';
    assert.deepEqual(await textLanguage(`<html lang="nl">${german}`), ['nl', 'nl']);
    assert.deepEqual(await textLanguage(german), [null, 'de']);
    assert.deepEqual(await textLanguage('<p>12345 67890</p>'), [null, null]);
  });

  test('bytes are transferred and return as an article', async () => {
    const task = page('<title>T</title><p>Some words to read on this page.</p>');
    const extracted = await pool.extract(task, signal);
    assert.ok(extracted.ok);
    assert.equal(extracted.article.title, 'T');
    assert.equal(task.bytes.byteLength, 0);
  });

  test('5 MB of nested tags do not block the event loop', async () => {
    const impatient = createExtractWorker({ threads: 1, taskMs: 2_000 });
    const task = page('<div><b>'.repeat(650_000));
    const since = process.threadCpuUsage();
    const extracted = await impatient.extract(task, signal).catch((error: unknown) => error);
    const ms = cpuMsSince(since);
    await impatient.close();
    assert.ok(ms < 500, `${ms} ms of CPU time beside the pool`);
    assert.ok(extracted instanceof Failure || (extracted as { ok: boolean }).ok === false);
  });
});

describe('task pool', () => {
  test('a thread that dies fails only its own task', async () => {
    const pool = poolOf(
      "if (task === 'die') process.exit(3); if (task === 'throw') throw new Error('x'); return task",
    );
    await assert.rejects(pool.run('work', ['die']), TaskCrashed);
    await assert.rejects(pool.run('work', ['throw']), TaskCrashed);
    assert.equal(await pool.run('work', ['alive']), 'alive');
    await pool.close();
  });

  test('a thread that runs out of memory is replaced', async () => {
    const pool = poolOf(
      "const all = []; while (task === 'eat') all.push(new Array(100_000).fill({})); return task",
    );
    await assert.rejects(pool.run('work', ['eat']), TaskCrashed);
    assert.equal(await pool.run('work', ['alive']), 'alive');
    await pool.close();
  });

  test('an endless task is ended, and the next one runs', async () => {
    const pool = poolOf("while (task === 'spin'); return task", { cpuMs: 300 });
    const spinning = assert.rejects(pool.run('work', ['spin']), TaskTimedOut);
    const next = pool.run('work', ['next']);
    await spinning;
    assert.equal(await next, 'next');
    await pool.close();
  });

  test('a task ends at its CPU limit, unless it only waits', async () => {
    const pool = poolOf(
      "while (task === 'spin'); return new Promise((done) => setTimeout(done, 1_000, task))",
      { cpuMs: 200 },
    );
    const spinning = assert.rejects(pool.run('work', ['spin']), TaskTimedOut);
    const waiting = pool.run('work', ['waits']);
    await spinning;
    assert.equal(await waiting, 'waits');
    await pool.close();
  });

  test('a task that neither ends nor works ends at its time limit', async () => {
    const pool = poolOf('return new Promise(() => setTimeout(() => {}, 60_000))', { taskMs: 300 });
    await assert.rejects(pool.run('work', ['waits']), TaskTimedOut);
    await pool.close();
  });

  test('a task beyond the queue is refused, and one that leaves makes room', async () => {
    const pool = poolOf("while (task === 'spin'); return task", { cpuMs: 1_000, waitingMax: 1 });
    const spinning = assert.rejects(pool.run('work', ['spin']), TaskTimedOut);
    const leaver = new AbortController();
    const waiting = assert.rejects(pool.run('work', ['waits'], { signal: leaver.signal }), {
      name: 'AbortError',
    });
    await assert.rejects(pool.run('work', ['late']), (error: Failure) => error.code === 'overloaded');
    leaver.abort();
    await waiting;
    const next = pool.run('work', ['next']);
    await spinning;
    assert.equal(await next, 'next');
    await pool.close();
  });
});
