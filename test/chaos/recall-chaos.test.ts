import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLIENTS, FAILING, REFUSING, recallChaos } from './recall-chaos.ts';

const SEARCHES = 15;
/** Fewer where every source may hang: such a search waits until its deadline. */
const HANGING_SEARCHES = 4;

/** For a longer run: node test/chaos/run-recall-chaos.ts */
describe('search while sources fail at random', { concurrency: true }, () => {
  test('with one healthy source, every search finds something', async () => {
    const report = await recallChaos({ searches: SEARCHES, seed: 7, steady: 'searxng', moods: REFUSING });
    assert.deepEqual(report.faults, [], JSON.stringify(report));
    assert.equal(report.searches, SEARCHES * CLIENTS);
    assert.equal(report.unavailable, 0);
  });
  for (const [name, moods] of Object.entries({ FAILING, REFUSING }))
    test(`with no healthy source, every response is a 200 or a justified 503 (${name})`, async () => {
      const report = await recallChaos({ searches: HANGING_SEARCHES, seed: 11, steady: null, moods });
      assert.deepEqual(report.faults, [], JSON.stringify(report));
      const { searches, found, empty, unavailable } = report;
      assert.equal(searches, HANGING_SEARCHES * CLIENTS);
      assert.equal(found + empty + unavailable, searches);
    });
});
