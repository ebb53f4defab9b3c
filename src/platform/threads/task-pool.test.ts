import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Failure } from '../../contract/errors.ts';
import type { PoolLimits, TaskLimits } from './pool-limits.ts';
import {
  createTaskPool,
  type RunOptions,
  TaskCrashed,
  TaskStarved,
  TaskTimedOut,
  type ThreadTask,
} from './task-pool.ts';

const folder = mkdtempSync(join(tmpdir(), 'task-pool-'));
after(() => rmSync(folder, { recursive: true }));
let modules = 0;

type Work = (task: string) => string;

/** A task of one function, for tasks that misbehave. */
function taskOf(body: string, limits: Partial<TaskLimits> = {}): ThreadTask<Work> {
  modules += 1;
  const path = join(folder, `${modules}.mjs`);
  writeFileSync(path, `export function work(task) { ${body} }`);
  return { module: pathToFileURL(path), name: 'work', limits: { taskMs: 60_000, cpuMs: 10_000, ...limits } };
}

const poolOf = (limits: Partial<PoolLimits> = {}, together: ThreadTask<Work>[] = []) =>
  createTaskPool(
    {
      threads: 1,
      waitingMax: 10,
      pageThreads: 1,
      pagesWaitingMax: 10,
      heapMegabytesMax: 128,
      ...limits,
    },
    together,
  );

/** A pool of one thread and one task. */
function workOf(body: string, limits: Partial<TaskLimits> & Pick<Partial<PoolLimits>, 'waitingMax'> = {}) {
  const { waitingMax = 10, ...ofTask } = limits;
  const [pool, task] = [poolOf({ waitingMax }), taskOf(body, ofTask)];
  const run = (argument: string, options?: RunOptions): Promise<string> =>
    pool.run(task, [argument], options);
  return { run, close: pool.close };
}

describe('a task pool', () => {
  test('fails the task whose thread dies, and no other', async () => {
    const { run, close } = workOf(
      "if (task === 'die') process.exit(3); if (task === 'throw') throw new Error('x'); return task",
    );
    await assert.rejects(run('die'), TaskCrashed);
    await assert.rejects(run('throw'), TaskCrashed);
    assert.equal(await run('alive'), 'alive');
    await close();
  });

  test('replaces a thread that runs out of memory', async () => {
    const { run, close } = workOf(
      "const all = []; while (task === 'eat') all.push(new Array(100_000).fill({})); return task",
    );
    await assert.rejects(run('eat'), TaskCrashed);
    assert.equal(await run('alive'), 'alive');
    await close();
  });

  test('ends an endless task, and runs the next', async () => {
    const { run, close } = workOf("while (task === 'spin'); return task", { cpuMs: 300 });
    const spinning = assert.rejects(run('spin'), TaskTimedOut);
    const next = run('next');
    await spinning;
    assert.equal(await next, 'next');
    await close();
  });

  test('ends a task at its CPU time, but not one that only waits', async () => {
    const { run, close } = workOf(
      "while (task === 'spin'); return new Promise((done) => setTimeout(done, 1_000, task))",
      { cpuMs: 200 },
    );
    const spinning = assert.rejects(run('spin'), TaskTimedOut);
    const waiting = run('waits');
    await spinning;
    assert.equal(await waiting, 'waits');
    await close();
  });

  test('ends a task that neither returns nor works after its time', async () => {
    const { run, close } = workOf('return new Promise(() => setTimeout(() => {}, 60_000))', { taskMs: 300 });
    await assert.rejects(run('waits'), TaskTimedOut);
    await close();
  });

  test('tells a task that did not get its CPU time from one that used it', async () => {
    const { run, close } = workOf(
      "while (task === 'spin'); return new Promise(() => setTimeout(() => {}, 60_000))",
      { taskMs: 2_000, cpuMs: 100 },
    );
    await assert.rejects(
      run('spin'),
      (error) => error instanceof TaskTimedOut && !(error instanceof TaskStarved),
    );
    await assert.rejects(run('waits'), TaskStarved);
    await close();
  });

  test('ends a task that is no longer wanted', async () => {
    const { run, close } = workOf("while (task === 'spin'); return task");
    const caller = new AbortController();
    const spinning = assert.rejects(run('spin', { signal: caller.signal }), { name: 'AbortError' });
    const next = run('next');
    caller.abort();
    await spinning;
    assert.equal(await next, 'next');
    await close();
  });

  test('keeps the thread of a task that is no longer wanted and soon ends, and replaces that of one that goes on', async () => {
    const { run, close } = workOf(
      "globalThis.tasks = (globalThis.tasks ?? 0) + 1; while (task === 'spin'); return String(globalThis.tasks)",
      { taskMs: 600_000, cpuMs: 600_000 },
    );
    /** Calls off a task once it is with its thread. */
    const callOff = async (task: string): Promise<void> => {
      const caller = new AbortController();
      const unwanted = assert.rejects(run(task, { signal: caller.signal }), { name: 'AbortError' });
      await new Promise(setImmediate);
      caller.abort();
      await unwanted;
    };
    assert.equal(await run('first'), '1');
    await callOff('short');
    assert.equal(await run('third'), '3');
    await callOff('spin');
    assert.equal(await run('first of another'), '1');
    await close();
  });

  test('refuses one more than may wait, until one leaves', async () => {
    const { run, close } = workOf("while (task === 'spin'); return task", { cpuMs: 1_000, waitingMax: 1 });
    const spinning = assert.rejects(run('spin'), TaskTimedOut);
    const leaver = new AbortController();
    const waiting = assert.rejects(run('waits', { signal: leaver.signal }), { name: 'AbortError' });
    await assert.rejects(run('late'), (error: Failure) => error.code === 'overloaded');
    leaver.abort();
    await waiting;
    const next = run('next');
    await spinning;
    assert.equal(await next, 'next');
    await close();
  });

  test('keeps a thread free of pages that are read', async () => {
    const pool = poolOf({ threads: 2, pageThreads: 1 });
    const page = taskOf('while (true);', { readsPages: true });
    const caller = new AbortController();
    const pages = ['one', 'two', 'three'].map((name) =>
      assert.rejects(pool.run(page, [name], { signal: caller.signal }), { name: 'AbortError' }),
    );
    assert.equal(await pool.run(taskOf('return task'), ['text']), 'text');
    caller.abort();
    await Promise.all(pages);
    await pool.close();
  });

  test('prefers the thread that had the same before', async () => {
    const pool = poolOf({ threads: 3 });
    const seen = taskOf(
      "const had = (globalThis.had ??= []); had.push(task); return had.filter((one) => one === task).length > 1 ? 'again' : 'new'",
    );
    const both = (...names: string[]): Promise<string[]> =>
      Promise.all(names.map((about) => pool.run(seen, [about], { about })));
    assert.deepEqual(await both('one', 'two', 'three'), ['new', 'new', 'new']);
    assert.deepEqual(await both('three', 'one', 'two'), ['again', 'again', 'again']);
    for (const name of ['two', 'three', 'one']) assert.deepEqual(await both(name), ['again']);
    await pool.close();
  });

  test('says that a module can never be loaded, with the cause, and runs other tasks', async () => {
    const pool = poolOf();
    const path = join(folder, 'incomplete.mjs');
    writeFileSync(path, "import 'a-package-that-is-missing'; export const work = () => 'x'");
    const incomplete: ThreadTask<Work> = {
      module: pathToFileURL(path),
      name: 'work',
      limits: { taskMs: 60_000 },
    };
    for (const module of [incomplete.module, pathToFileURL(join(folder, 'missing.mjs'))])
      await assert.rejects(pool.run({ ...incomplete, module }, ['task']), (error: Failure) => {
        assert.deepEqual(
          [error.code, error.message],
          ['internal', 'A part of this installation cannot be loaded.'],
        );
        assert.match(String(error.cause), /a-package-that-is-missing|missing\.mjs/);
        return true;
      });
    assert.equal(await pool.run(taskOf('return task'), ['other']), 'other');
    await pool.close();
  });

  test('loads tasks that go together at once, also after its thread died', async () => {
    const [together, dies, other] = [taskOf('return task'), taskOf('process.exit(3)'), taskOf('return task')];
    const pool = poolOf({}, [together]);
    assert.equal(await pool.run(other, ['first']), 'first');
    rmSync(together.module);
    assert.equal(await pool.run(together, ['loaded']), 'loaded');
    writeFileSync(together.module, 'export const work = (task) => task');
    await assert.rejects(pool.run(dies, ['die']), TaskCrashed);
    assert.equal(await pool.run(other, ['next']), 'next');
    rmSync(together.module);
    assert.equal(await pool.run(together, ['again']), 'again');
    await pool.close();
  });
});

/** Uses up all descriptors, runs a task, frees them, runs another. */
const SCRIPT = `
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createTaskPool } from '${new URL('./task-pool.ts', import.meta.url)}';
writeFileSync('task.mjs', 'export const work = (text) => text + " worked"');
const pool = createTaskPool({ threads: 2, waitingMax: 5, pageThreads: 1, pagesWaitingMax: 5, heapMegabytesMax: 64 });
const task = { module: pathToFileURL('task.mjs'), name: 'work', limits: { taskMs: 20000 } };
const run = () => pool.run(task, ['task']).catch((error) => error.code + ': ' + error.message);
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
  const cwd = mkdtempSync(join(tmpdir(), 'task-pool-'));
  t.after(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'script.mjs'), SCRIPT);
  const child = spawn('sh', ['-c', 'ulimit -n 128; exec "$0" script.mjs', process.execPath], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  assert.deepEqual((await text(child.stdout)).trim().split('\n'), [
    'overloaded: No worker thread can be started; try again in a moment.',
    '1',
    'task worked',
  ]);
  assert.deepEqual(await exited, [0, null]);
});
