import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPressure } from './pressure.ts';

for (const [what, late, share, isShort, isHigh] of [
  ['an event loop that is late and takes a whole core', 40, 1, false, true],
  ['one that is late on a machine that is busy with something else', 40, 0.7, false, false],
  ['one that is half a second late, whatever the machine does', 600, 0.2, false, true],
  ['one that takes a whole core and keeps its times', 3, 1, false, false],
  ['memory that is nearly used up', 0, 0, true, true],
] as const)
  test(`${what}: ${isHigh ? 'pressure' : 'no pressure'}`, () => {
    const parts = {
      loopDelay: { ms: () => late },
      loopShare: () => share,
      memory: { isShort: () => isShort },
    };
    assert.equal(createPressure(parts).isHigh(), isHigh);
  });
