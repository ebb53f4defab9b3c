import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createMemoryReadings, watchMemory } from './memory-room.ts';

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
  const own = createMemoryReadings(1_000_000);
  assert.equal(own.limit, 1_048_576_000_000);
  assert.ok(own.used() > 10_000_000 && own.used() < 10_000_000_000);
  assert.ok(own.heapShare() > 0 && own.heapShare() < 1);
  assert.ok(createMemoryReadings(null).used() > 0);
});

describe('in a container', () => {
  const MB = 1_048_576;
  const folder = mkdtempSync(join(tmpdir(), 'control-groups-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const groupsOf = (files: Record<string, string>): string => {
    const groups = mkdtempSync(join(folder, 'group-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(groups, dirname(name)), { recursive: true });
      writeFileSync(join(groups, name), text);
    }
    return groups;
  };

  test('of version 2: its limit, and what is used without files that the kernel can drop', () => {
    const groups = groupsOf({
      'memory.max': `${512 * MB}\n`,
      'memory.current': `${400 * MB}\n`,
      'memory.stat': `anon ${250 * MB}\nactive_file ${20 * MB}\ninactive_file ${100 * MB}\n`,
    });
    const { limit, used } = createMemoryReadings(null, groups);
    assert.deepEqual([limit, used()], [512 * MB, 300 * MB]);
  });

  test('of version 1: the same from its files, with those of its children', () => {
    const groups = groupsOf({
      'memory/memory.limit_in_bytes': `${256 * MB}\n`,
      'memory/memory.usage_in_bytes': `${240 * MB}\n`,
      'memory/memory.stat': `inactive_file ${1 * MB}\ntotal_inactive_file ${40 * MB}\n`,
    });
    const { limit, used } = createMemoryReadings(null, groups);
    assert.deepEqual([limit, used()], [256 * MB, 200 * MB]);
  });

  test('without a limit of its own, in both spellings, there is none', () => {
    const unbounded = { 'memory.max': 'max\n', 'memory.current': `${MB}\n` };
    const huge = { 'memory/memory.limit_in_bytes': '9223372036854771712\n' };
    for (const files of [unbounded, huge])
      assert.equal(createMemoryReadings(null, groupsOf(files)).limit, null);
  });

  test('a limit that is set wins, and without any file the process reads itself', () => {
    const groups = groupsOf({ 'memory.max': `${512 * MB}\n`, 'memory.current': `${400 * MB}\n` });
    assert.equal(createMemoryReadings(100, groups).limit, 100 * MB);
    const { used } = createMemoryReadings(null, groupsOf({}));
    assert.ok(used() > 10 * MB);
  });
});
