import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLIENTS, FAILING, REFUSING, recallChaos } from './recall-chaos.ts';

/** For two minutes of it: node test/chaos/run-recall-chaos.ts */
describe('search while sources fail at random', { concurrency: true }, () => {
  test('with one healthy source, every search finds something', async () => {
    const report = await recallChaos({ seconds: 5, seed: 7, steady: 'searxng', moods: REFUSING });
    assert.deepEqual(report.faults, [], JSON.stringify(report));
    assert.ok(report.searches >= CLIENTS && report.unavailable === 0);
  });
  for (const [name, moods] of Object.entries({ FAILING, REFUSING }))
    test(`with no healthy source, every response is a 200 or a justified 503, in time (${name})`, async () => {
      const report = await recallChaos({ seconds: 5, seed: 11, steady: null, moods });
      assert.deepEqual(report.faults, [], JSON.stringify(report));
      const { searches, found, empty, unavailable } = report;
      assert.ok(searches >= CLIENTS && found + empty + unavailable === searches);
    });
});
