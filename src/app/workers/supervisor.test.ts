import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '../../platform/log.ts';
import { Supervisor } from './supervisor.ts';

/** A process that does what the test says. */
class FakeWorker extends EventEmitter {
  readonly signals: string[] = [];
  readonly process = { kill: (signal: string) => void this.signals.push(signal) };
  #isDead = false;
  isDead(): boolean {
    return this.#isDead;
  }
  end(): void {
    this.#isDead = true;
    this.emit('exit', 1, null);
  }
}

/** What Node reports of a connection that a process did not take any more. */
const NOT_TAKEN = new Error('write EPIPE');

function supervised() {
  const workers: FakeWorker[] = [];
  const waits: (() => void)[] = [];
  const supervisor = new Supervisor({
    fork() {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker as unknown as Worker;
    },
    log: createLog('silent'),
    pause: (_ms, _value, options) =>
      new Promise((resolve, reject) => {
        options?.signal.addEventListener('abort', () => reject(new Error('aborted')));
        waits.push(resolve);
      }),
  });
  const nth = (number: number): FakeWorker =>
    workers[number] ?? assert.fail(`worker ${number} was not started`);
  const start = async (place: { leads: boolean }): Promise<FakeWorker> => {
    const started = supervisor.start(place);
    const worker = nth(workers.length - 1);
    worker.emit('listening');
    assert.equal(await started, true);
    return worker;
  };
  /** Lets the time pass that is waited for. */
  const wait = async (): Promise<void> => {
    for (const over of waits.splice(0)) over();
    await turn();
  };
  return { supervisor, workers, nth, start, wait };
}

describe('processes of one server', () => {
  test('are awaited to their end, also when one does not take a connection meanwhile', async () => {
    const { supervisor, start } = supervised();
    const worker = await start({ leads: true });
    const ended = supervisor.end();
    worker.emit('error', NOT_TAKEN);
    worker.end();
    await ended;
    assert.deepEqual(worker.signals, ['SIGTERM']);
  });

  test('are replaced again after one did not take a connection as it was replaced', async () => {
    const { supervisor, nth, start } = supervised();
    const old = await start({ leads: true });
    const replaced = supervisor.replaceAll();
    await turn();
    nth(1).emit('error', NOT_TAKEN);
    nth(1).emit('listening');
    await turn();
    old.emit('error', NOT_TAKEN);
    old.end();
    await replaced;
    void supervisor.replaceAll();
    await turn();
    assert.ok(nth(2), 'and replaced once more');
  });

  test('are tried again where one ends before it listens, unless it is the first', async () => {
    const { supervisor, workers, nth, start, wait } = supervised();
    const first = supervisor.start({ leads: true });
    nth(0).end();
    assert.equal(await first, false);
    await wait();
    assert.equal(workers.length, 1, 'what the first one says is for the operator');
    await start({ leads: true });
    const second = supervisor.start({ leads: false });
    nth(2).end();
    assert.equal(await second, false);
    await wait();
    nth(3).end();
    await turn();
    await wait();
    nth(4).emit('listening');
    await turn();
    await wait();
    assert.equal(workers.length, 5);
  });

  test('are one for each place, also where all are replaced as one is down', async () => {
    const { supervisor, workers, nth, start, wait } = supervised();
    (await start({ leads: true })).end();
    const replaced = supervisor.replaceAll();
    await turn();
    nth(1).emit('listening');
    await replaced;
    await wait();
    assert.equal(workers.length, 2, 'its place is not filled twice');
  });

  test('are one for each place, also where one starts as all are replaced', async () => {
    const { supervisor, nth, start, wait } = supervised();
    (await start({ leads: true })).end();
    await wait();
    const replaced = supervisor.replaceAll();
    await turn();
    nth(2).emit('listening');
    await replaced;
    nth(1).emit('listening');
    await turn();
    assert.deepEqual([nth(1).signals, nth(2).signals], [['SIGTERM'], []]);
  });
});
