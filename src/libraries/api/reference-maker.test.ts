import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReferenceMaker, PACKAGE_MS_MAX } from './reference-maker.ts';

const ENDLESS = new URL('../../../test/fixtures/endless-thread.ts', import.meta.url);
const never = (): AbortSignal => new AbortController().signal;

test('a package is read in a thread', async () => {
  const bytes = new TextEncoder().encode('export declare function wade(depth: number): void;\n');
  const manifest = new TextEncoder().encode('{"name":"wader","types":"index.d.ts"}');
  const files = [
    { path: 'package.json', bytes: manifest },
    { path: 'index.d.ts', bytes },
  ];
  const { pages, skipped } = await createReferenceMaker()({ ecosystem: 'npm', files }, never());
  assert.deepEqual([pages.map(({ fragment }) => fragment), skipped], [['wader'], []]);
  assert.match(pages[0]?.markdown ?? '', /function wade\(depth: number\): void/);
});

test('a thread that does not end is ended after its time, and named', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { reading, begun } = readForEver(never());
  await begun;
  mock.timers.tick(PACKAGE_MS_MAX);
  await assert.rejects(reading, { message: 'reading the sources took more than 120 seconds and was ended' });
});

test('an interrupted run ends its thread', async () => {
  const controller = new AbortController();
  const { reading, begun } = readForEver(controller.signal);
  await begun;
  controller.abort(new Error('interrupted'));
  await assert.rejects(reading, { message: 'interrupted' });
});

/** A thread that was not ended would keep this process from ending. */
function readForEver(signal: AbortSignal): { reading: Promise<unknown>; begun: Promise<unknown> } {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const files = [{ path: 'index.py', bytes: new Uint8Array(flag.buffer) }];
  const reading = createReferenceMaker(ENDLESS)({ ecosystem: 'python', files }, signal);
  return { reading, begun: Promise.resolve(Atomics.waitAsync(flag, 0, 0).value) };
}
