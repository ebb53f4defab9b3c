import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLIENTS, recallStorm } from './recall-storm.ts';

/** The two minutes of it: node test/simulation/run-recall-storm.ts */
describe('a storm over the sources', { concurrency: true }, () => {
  test('with one source that stays well every search finds something', async () => {
    const report = await recallStorm({ seconds: 5, seed: 7, steady: 'searxng' });
    assert.deepEqual(report.faults, [], JSON.stringify(report));
    assert.ok(report.searches >= CLIENTS && report.unavailable === 0);
  });
  test('with none that does, answers are 200 or an honest 503 in time', async () => {
    const report = await recallStorm({ seconds: 5, seed: 11, steady: null });
    assert.deepEqual(report.faults, [], JSON.stringify(report));
    assert.ok(report.searches >= CLIENTS);
  });
});
