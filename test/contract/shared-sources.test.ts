import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { createSealedValues } from '../../src/platform/store/shared/sealed-values.ts';
import type { SharedStore } from '../../src/platform/store/shared/shared-values.ts';
import { createSharedSources, type SharedSources } from '../../src/recall/upstream/shared-sources.ts';
import { noRedis, openPatientStore, startTestRedis } from '../fixtures/redis.ts';

const redis = await startTestRedis();
after(() => redis?.close());

describe('a source that two processes call', { skip: redis === null ? noRedis : false }, () => {
  let stores: SharedStore[];
  let here: SharedSources;
  let there: SharedSources;
  const open = async (): Promise<SharedSources> => {
    const store = await openPatientStore(redis?.url ?? '');
    stores.push(store);
    return createSharedSources(store, { sealed: createSealedValues(null), clock: systemClock });
  };
  beforeEach(async () => {
    stores = [];
    await redis?.command('FLUSHALL');
    [here, there] = await Promise.all([open(), open()]);
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  test('is called at its rate by both together', async () => {
    const rate = { calls: 5, perMs: 60_000 };
    let begun = 0;
    for (let nth = 0; nth < 6; nth += 1) {
      const turns = await Promise.all([here, there].map((process) => process.take('web', rate)));
      begun += turns.filter(({ mayBegin }) => mayBegin).length;
    }
    assert.equal(begun, 5);
    assert.equal((await there.take('another', rate)).mayBegin, true);
  });

  test('may be called again when its period is over', async () => {
    // The period is by Redis's clock: that of the second call is long whatever the first was told.
    assert.equal((await here.take('web', { calls: 1, perMs: 60_000 })).mayBegin, true);
    assert.equal((await there.take('web', { calls: 1, perMs: 60_000 })).mayBegin, false);
    await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal((await there.take('web', { calls: 1, perMs: 1 })).mayBegin, true);
  });

  test('is left alone by both when it asks one for a pause, and a shorter pause does not end a longer one', async () => {
    here.pause('web', 30_000);
    here.pause('web', 1);
    for (let look = 0; look < 100; look += 1) {
      const { mayBegin, pausedMs } = await there.take('web', { calls: 100_000, perMs: 1_000 });
      if (mayBegin) continue;
      assert.ok(pausedMs > 20_000, String(pausedMs));
      return;
    }
    assert.fail('the pause never arrived');
  });

  test('answers once for both', async () => {
    const item = { url: 'https://e.org/', title: 'A page', snippet: 'text', publishedDay: null };
    assert.equal(await there.found('web https://web.example/?q=knot'), null);
    here.keep('web https://web.example/?q=knot', [item]);
    let found = await there.found('web https://web.example/?q=knot');
    for (let look = 0; found === null && look < 100; look += 1)
      found = await there.found('web https://web.example/?q=knot');
    assert.deepEqual(found, [item]);
    await here.removeAll();
    assert.equal(await there.found('web https://web.example/?q=knot'), null);
  });
});
