import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { groupBytes, parseStat, processMemory } from './group-memory.ts';

/** A line of /proc/[pid]/stat of a process in group 42 with three resident pages. */
const statOf = (command: string): string =>
  `7 (${command}) S 1 42 42 0 -1 4194304 99 0 0 0 5 1 0 0 20 0 1 0 1137714 3133440 3 18446744073709551615 1 1`;

describe('the memory of a process group', () => {
  test('is read whatever the name of the command', () => {
    for (const command of ['node', 'a (b) c', ') S 1 2'])
      assert.deepEqual(parseStat(statOf(command)), { group: 42, bytes: 12_288 }, command);
  });

  test('is unknown for a process that has ended', () => {
    assert.equal(parseStat(''), null);
    assert.equal(parseStat('7 (node) S'), null);
  });

  test('is the sum over its processes', () => {
    const processes = [
      { group: 1, bytes: 10 },
      { group: 2, bytes: 100 },
      { group: 1, bytes: 1 },
    ];
    assert.equal(groupBytes(processes, 1), 11);
    assert.equal(groupBytes(processes, 3), 0);
  });

  test('is found for the processes of this machine', { skip: process.platform !== 'linux' }, () => {
    const bytes = processMemory().map((process) => process.bytes);
    assert.ok(Math.max(...bytes) > 0);
  });
});
