import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countKills, describeOutcome, failedTest } from './outcome.ts';

describe('the outcome of a suite', () => {
  test('a failed test is recognized at any depth, with its name', () => {
    assert.equal(failedTest('not ok 1 - a hold settles once'), 'a hold settles once');
    assert.equal(failedTest('        not ok 12 - issue \\#3 \\\\ x'), 'issue #3 \\ x');
  });

  test('passed tests, tests that may fail and other output do not count as failures', () => {
    for (const line of ['ok 1 - fine', 'not ok 2 - later # TODO', '# not ok 1 - x', 'it is not ok 1 - x', ''])
      assert.equal(failedTest(line), null, line);
  });

  test('each kind of kill is named and counted', () => {
    const outcomes = [
      { kind: 'failed', test: 'a' },
      { kind: 'failed', test: 'b' },
      { kind: 'memory' },
      { kind: 'time' },
      { kind: 'passed' },
    ] as const;
    assert.deepEqual(outcomes.map(describeOutcome), [
      'killed, failed test: a',
      'killed, failed test: b',
      'killed, out of memory',
      'killed, out of time',
      'SURVIVED',
    ]);
    assert.equal(countKills([...outcomes]), '2 by a failed test, 1 by time, 1 by memory');
  });
});
