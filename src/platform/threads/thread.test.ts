import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createThread, ThreadClosed, ThreadEnded, ThreadNotStarted, ThreadOverloaded } from './thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'thread-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SERVE_CALLS = new URL('./serve-calls.ts', import.meta.url).href;

/** A module that serves calls. */
function moduleOf(body: string): URL {
  const path = join(folder, `${Math.random()}.mjs`);
  writeFileSync(path, `import { serveCalls, serveGroups } from '${SERVE_CALLS}';\n${body}`);
  return pathToFileURL(path);
}

type Calls = {
  echo(value: unknown): unknown;
  fail(reason: string): never;
  die(reason: string): never;
  later(value: string): Promise<string>;
};
const CALLS = `
  import { writeFileSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  const echo = (value) => value;
  const fail = (reason) => { throw new RangeError(reason); };
  const die = (reason) => { setImmediate(() => { throw new Error(reason); }); return new Promise(() => {}); };
  const later = (value) => new Promise((done) => setTimeout(done, 20, value));
  serveCalls({ echo, fail, die, later, unclonable: () => () => {} }, { close: () => workerData && writeFileSync(workerData, 'closed') });
`;

describe('a thread', () => {
  test('answers calls in order, one at a time', async () => {
    const thread = createThread<Calls>(moduleOf(CALLS));
    const order: unknown[] = [];
    const note = (value: unknown): unknown => order.push(value);
    await Promise.all([thread.call('later', 'first').then(note), thread.call('echo', 'second').then(note)]);
    assert.deepEqual(order, ['first', 'second']);
    await thread.close();
  });

  test('fails a call with what its procedure throws, or when the result is no plain data', async () => {
    const thread = createThread<Calls & { unclonable(argument: null): unknown }>(moduleOf(CALLS));
    await assert.rejects(thread.call('fail', 'refused'), { name: 'RangeError', message: 'refused' });
    await assert.rejects(thread.call('unclonable', null), /could not be cloned/);
    await assert.rejects(
      thread.call('echo', () => {}),
      /could not be cloned/,
    );
    assert.equal(thread.open(), 0);
    await thread.close();
  });

  test('gets the calls of one turn in one message, and only those that are no plain data fail', async ({
    mock,
  }) => {
    const sent = mock.method(Worker.prototype, 'postMessage');
    const body = `serveGroups({ groupMax: 10, answer: (calls) => calls.map(({ argument }) => ({ value: argument })) });`;
    const thread = createThread<{ echo(value: unknown): unknown }>(moduleOf(body));
    await thread.start();
    const calls = await Promise.all([1, 2, 3].map((value) => thread.call('echo', value)));
    assert.deepEqual(calls, [1, 2, 3]);
    assert.equal(sent.mock.callCount(), 1);
    sent.mock.restore();
    const mixed = await Promise.allSettled([1, () => {}, 3].map((value) => thread.call('echo', value)));
    assert.deepEqual(
      mixed.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await thread.close();
  });

  test('answers a group in one message, and only results that are no plain data fail', async () => {
    const body = `serveGroups({
      groupMax: 10, answer: (calls) => calls.map(({ argument }) => ({ value: argument === 2 ? () => {} : argument })),
    });`;
    const thread = createThread<{ echo(value: number): unknown }>(moduleOf(body));
    await thread.start();
    const answers = await Promise.allSettled([1, 2, 3].map((value) => thread.call('echo', value)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await thread.close();
  });

  test('that dies fails its open calls with the reason, and the next call starts another', async () => {
    const lost: unknown[] = [];
    const thread = createThread<Calls>(moduleOf(CALLS), { onLost: (_cause, calls) => lost.push(calls) });
    assert.equal(await thread.call('echo', 'hello'), 'hello');
    for (const call of await Promise.allSettled([thread.call('die', 'struck'), thread.call('echo', 1)])) {
      assert.equal(call.status, 'rejected');
      assert.ok(call.reason instanceof ThreadEnded && !(call.reason instanceof ThreadNotStarted));
      assert.match(String(call.reason.cause), /struck/);
    }
    assert.deepEqual([lost, thread.open(), thread.isRunning()], [[2], 0, false]);
    assert.equal(await thread.call('echo', 'again'), 'again');
    await thread.close();
  });

  test('whose module throws has not started, and says why', async () => {
    const thread = createThread(moduleOf("throw new Error('no file')"));
    await assert.rejects(thread.start(), (error: Error) => {
      assert.ok(error instanceof ThreadNotStarted);
      assert.match(String(error.cause), /no file/);
      return true;
    });
  });

  test('refuses more calls than its bound, and any after it is closed', async () => {
    const thread = createThread<Calls>(moduleOf(CALLS), { callsMax: 1 });
    const first = thread.call('later', 'first');
    await assert.rejects(thread.call('echo', 'second'), ThreadOverloaded);
    assert.equal(await first, 'first');
    await thread.close();
    await assert.rejects(thread.call('echo', 'third'), ThreadClosed);
  });

  test('is closed after the answers to all calls made so far', async () => {
    const mark = join(folder, 'closed');
    const thread = createThread<Calls>(moduleOf(CALLS), { data: mark });
    const [answer] = await Promise.all([thread.call('later', 'late'), thread.close()]);
    assert.equal(answer, 'late');
    assert.doesNotThrow(() => rmSync(mark));
  });

  test('that is ended fails its open calls, and the next call starts another', async () => {
    const thread = createThread<Calls>(moduleOf(`${CALLS} setInterval(() => {}, 1_000)`));
    await thread.start();
    const open = assert.rejects(thread.call('later', 'never'), ThreadEnded);
    await thread.end();
    await open;
    assert.equal(await thread.call('echo', 'again'), 'again');
    await thread.end();
  });
});

test('calls that arrive while a group is answered form the next one', async () => {
  const thread = createThread<{ size(argument: number): number }>(
    moduleOf(`serveGroups({ groupMax: 3, answer: (calls) => calls.map(() => ({ value: calls.length })) })`),
  );
  await thread.start();
  const sizes = await Promise.all([1, 2, 3, 4, 5].map((argument) => thread.call('size', argument)));
  assert.ok(Math.max(...sizes) <= 3);
  assert.equal(sizes.length, 5);
  await thread.close();
});

describe('a call that is taken back', () => {
  test('leaves its caller at once, and never begins if the thread has not come to it', async () => {
    const counting = `let ran = 0;
      const slow = () => new Promise((done) => setTimeout(done, 50));
      serveCalls({ slow, note: () => { ran += 1; }, ran: () => ran });`;
    type Counting = { slow(_: null): Promise<void>; note(_: null): void; ran(_: null): number };
    const thread = createThread<Counting>(moduleOf(counting));
    await thread.start();
    const first = thread.call('slow', null);
    const caller = new AbortController();
    const taken = thread.call('note', null, { signal: caller.signal });
    caller.abort(new Error('out of time'));
    await assert.rejects(taken, /out of time/);
    await first;
    assert.equal(await thread.call('ran', null), 0);
    assert.equal(thread.open(), 0, 'the thread has replied to the one that was taken back too');
    await assert.rejects(thread.call('note', null, { signal: caller.signal }), /out of time/);
    await thread.close();
  });

  test('ends what it waits for where calls are answered at once', async () => {
    const waiting = `import { serveAtOnce } from '${SERVE_CALLS}';
      let ended = 0;
      const wait = (_, signal) => new Promise((_done, fail) => signal.addEventListener('abort', () => { ended += 1; fail(new Error('ended')); }));
      serveAtOnce({ wait, ended: () => ended });`;
    type Waiting = { wait(_: null): Promise<never>; ended(_: null): number };
    const thread = createThread<Waiting>(moduleOf(waiting));
    const caller = new AbortController();
    const taken = thread.call('wait', null, { signal: caller.signal });
    await thread.start();
    setImmediate(() => caller.abort(new Error('out of time')));
    await assert.rejects(taken, /out of time/);
    assert.equal(await thread.call('ended', null), 1);
    await thread.close();
  });
});
