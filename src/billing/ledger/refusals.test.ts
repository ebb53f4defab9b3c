import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRefusals } from './meter.ts';

describe('a refusal', () => {
  const opened = () => {
    let now = 1_000;
    const clock = { now: () => now };
    return {
      refusals: createRefusals(clock),
      passes(ms: number) {
        now += ms;
      },
    };
  };

  test('is known for a moment, for as many credits or more', () => {
    const { refusals, passes } = opened();
    refusals.asking()('key', { available: 2, disputed: 0 });
    assert.deepEqual(
      [1, 2, 3].map((needed) => refusals.known('key', needed)?.available ?? null),
      [null, null, 2],
    );
    assert.equal(refusals.known('other', 3), null);
    passes(99);
    assert.equal(refusals.known('key', 3)?.available, 2);
    passes(1);
    assert.equal(refusals.known('key', 3), null);
  });

  test('is forgotten when credits may have been given, also one that is on its way then', () => {
    const { refusals } = opened();
    refusals.asking()('key', { available: 0, disputed: 0 });
    const note = refusals.asking();
    refusals.clear();
    note('key', { available: 0, disputed: 0 });
    assert.equal(refusals.known('key', 1), null);
  });

  test('for a dispute is known beyond what the disputed payment gave', () => {
    const { refusals } = opened();
    refusals.asking()('key', { available: 9, disputed: 7 });
    assert.deepEqual(
      [1, 2, 3].map((needed) => refusals.known('key', needed)?.disputed ?? null),
      [null, null, 7],
    );
  });
});
