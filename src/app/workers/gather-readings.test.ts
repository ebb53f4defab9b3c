import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { MetricReading } from '../../platform/metrics.ts';
import { createMetricsGatherer, type MessageToWorker } from './gather-readings.ts';

const counted = (value: number): MetricReading[] => [
  {
    name: 'calls_total',
    help: 'Calls',
    type: 'counter',
    aggregator: 'sum',
    values: [{ labels: {}, value }],
  },
  {
    name: 'memory_bytes',
    help: 'Memory',
    type: 'gauge',
    aggregator: 'each',
    values: [{ labels: {}, value }],
  },
];

/** A process that has counted what the test says, and hangs if told so. */
class FakeWorker extends EventEmitter {
  count = 0;
  hangs = false;
  questions = 0;
  readonly shown: string[] = [];
  isConnected(): boolean {
    return true;
  }
  send(message: MessageToWorker): boolean {
    if ('metrics' in message) this.shown.push(message.metrics.body);
    else {
      this.questions += 1;
      if (!this.hangs) this.tell();
    }
    return true;
  }
  tell(): void {
    this.emit('message', { readings: counted(this.count) });
  }
  end(): void {
    this.emit('exit');
    this.emit('disconnect');
  }
}

function gathering() {
  const waits: (() => void)[] = [];
  const gatherer = createMetricsGatherer({
    pause: (_ms, _value, options) =>
      new Promise((resolve, reject) => {
        options?.signal.addEventListener('abort', () => reject(new Error('aborted')));
        waits.push(resolve);
      }),
  });
  const start = (count: number): FakeWorker => {
    const worker = new FakeWorker();
    gatherer.add(worker as unknown as Worker);
    worker.count = count;
    worker.emit('listening');
    return worker;
  };
  /** What one that asks is shown; `late`: the time for answers is over. */
  const shownTo = async (worker: FakeWorker, { late = false } = {}): Promise<string> => {
    const before = worker.shown.length;
    worker.emit('message', { wantsMetrics: true });
    await turn();
    if (late) for (const over of waits.splice(0)) over();
    await turn();
    return worker.shown[before] ?? assert.fail('it was not answered');
  };
  return { gatherer, start, shownTo };
}

const callsIn = (shown: string): number => Number(/^calls_total (\d+)$/m.exec(shown)?.[1]);

describe('the metrics of all workers', () => {
  test('are those of each as they are when one asks', async () => {
    const { start, shownTo } = gathering();
    const [one, other] = [start(1), start(10)];
    assert.equal(callsIn(await shownTo(one)), 11);
    other.count = 20;
    const shown = await shownTo(other);
    assert.equal(callsIn(shown), 21);
    assert.match(shown, /^memory_bytes\{worker="1"\} 1\nmemory_bytes\{worker="2"\} 20$/m);
    assert.match(shown, /^sanderling_workers\{state="answering"\} 2$/m);
  });

  test('keep what a worker had counted that has ended', async () => {
    const { start, shownTo } = gathering();
    const [one, other] = [start(1), start(10)];
    other.count = 15;
    other.tell();
    other.end();
    await turn();
    const shown = await shownTo(one);
    assert.equal(callsIn(shown), 16);
    assert.doesNotMatch(shown, /worker="2"/);
    const successor = start(100);
    assert.equal(callsIn(await shownTo(successor)), 116);
    assert.match(await shownTo(one), /^memory_bytes\{worker="2"\} 100$/m);
  });

  test('do not wait for one that hangs, whose counts still count, and which is not asked again', async () => {
    const { start, shownTo } = gathering();
    const [one, other] = [start(1), start(10)];
    await shownTo(one);
    other.questions = 0;
    other.hangs = true;
    const shown = await shownTo(one, { late: true });
    assert.equal(callsIn(shown), 11);
    assert.doesNotMatch(shown, /memory_bytes\{worker="2"\}/);
    assert.match(shown, /^sanderling_workers\{state="silent"\} 1$/m);
    await shownTo(one, { late: true });
    assert.equal(other.questions, 1);
    other.count = 12;
    other.hangs = false;
    other.tell();
    assert.equal(callsIn(await shownTo(one)), 13);
  });

  test('are gathered once for all who ask meanwhile', async () => {
    const { start, shownTo } = gathering();
    const [one, other] = [start(1), start(10)];
    other.hangs = true;
    one.emit('message', { wantsMetrics: true });
    await shownTo(one, { late: true });
    assert.equal(one.questions, 1);
    assert.equal(one.shown.length, 2);
  });

  test('do not wait for one that ends meanwhile, nor for one that is starting', async () => {
    const { gatherer, start, shownTo } = gathering();
    const [one, other] = [start(1), start(10)];
    await shownTo(one);
    gatherer.add(new FakeWorker() as unknown as Worker);
    other.hangs = true;
    one.emit('message', { wantsMetrics: true });
    await turn();
    other.end();
    await turn();
    assert.equal(callsIn(one.shown[1] ?? ''), 11);
  });
});
