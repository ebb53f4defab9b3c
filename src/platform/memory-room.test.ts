import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryOfProcess, watchMemory } from './memory-room.ts';

test('is short when nine tenths of the limit, or of the heap, are in use; looks twice a second', () => {
  let [at, used, heap, looks] = [0, 100, 0.2, 0];
  const room = watchMemory({
    limit: 1_000,
    used() {
      looks += 1;
      return used;
    },
    heapShare: () => heap,
    now: () => at,
  });
  assert.equal(room.share(), 0.2);
  used = 950;
  assert.ok(!room.isShort());
  assert.equal(looks, 1);
  at = 500;
  assert.ok(room.isShort());
  used = 100;
  at = 1_000;
  assert.ok(!room.isShort());
  heap = 0.95;
  at = 1_500;
  assert.ok(room.isShort());
});

test('without a limit only the heap counts', () => {
  const room = watchMemory({
    limit: null,
    used: () => assert.fail('asked'),
    heapShare: () => 0.5,
    now: () => 0,
  });
  assert.equal(room.share(), 0.5);
});

test('reads its own process', () => {
  const own = memoryOfProcess(1_000_000);
  assert.equal(own.limit, 1_048_576_000_000);
  assert.ok(own.used() > 10_000_000 && own.used() < 10_000_000_000);
  assert.ok(own.heapShare() > 0 && own.heapShare() < 1);
  assert.ok(memoryOfProcess(null).used() > 0);
});
