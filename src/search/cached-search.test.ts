import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { opener, wantText } from '../../test/fixtures/unit-tests/given-pages.ts';
import { givenIndex, item, request, searchOver, web } from '../../test/fixtures/unit-tests/search-fixture.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Upstream } from '../recall/upstream/upstream-types.ts';
import type { createSearch } from './search.ts';

describe('search', () => {
  const { index, state } = givenIndex();

  test('who says how fresh pages must be gets no answer of minutes ago', async () => {
    const search = searchOver(index);
    assert.equal((await search(request)).cache, 'miss');
    assert.equal((await search(request)).cache, 'hit');
    const fresh = { ...request, contents: wantText, opening: { freshMs: 0 } };
    assert.deepEqual([(await search(fresh)).cache, (await search(fresh)).cache], ['miss', 'miss']);
    const kept = { ...request, contents: wantText, opening: { copies: 'only' } } as const;
    assert.deepEqual([(await search(kept)).cache, (await search(kept)).cache], ['miss', 'hit']);
  });

  test('an answer for which a private page was opened is kept for nobody', async () => {
    const openPrivate: OpenPage = async (url, options) => {
      const page = await opener({ [url]: 'Waders in private.' })(url, options);
      return { ...page, privacy: { reason: 'private', addresses: [url] } };
    };
    const search = searchOver(index, [], openPrivate);
    for (const parts of [{ contents: wantText }, { answer: true }, { publishedFrom: '2020-01-01' }]) {
      const wanted = { ...request, ...parts };
      assert.deepEqual([(await search(wanted)).cache, (await search(wanted)).cache], ['miss', 'miss']);
    }
    assert.deepEqual([(await search(request)).cache, (await search(request)).cache], ['miss', 'hit']);
  });

  test('what a source does not let us keep is asked for again', async () => {
    const keeping = searchOver(index, [web([[item('https://w.org/')]])]);
    await keeping(request);
    assert.equal((await keeping(request)).cache, 'hit');
    const strict = searchOver(index, [web([[item('https://w.org/')]], false)]);
    await strict(request);
    assert.equal((await strict(request)).cache, 'miss');
  });

  test('what a source said next that may not be kept, or what is missing of it, is not kept either', async () => {
    const filtered = { ...request, includeDomains: ['b.org'] };
    const first = web([[item('https://other.org/1')], [item('https://b.org/1')]]);
    const only = (second: Upstream): ReturnType<typeof createSearch> => searchOver(index, [first, second]);
    const silent = only({ ...web([[], [item('https://b.org/2')]], false), name: 'second' });
    await silent(filtered);
    assert.equal((await silent(filtered)).cache, 'miss');
    const lame = only({
      ...first,
      name: 'second',
      ask: async ({ page }) =>
        page === 0 ? { ok: true, items: [], cache: 'miss' } : { ok: false, error: 'failed', detail: 'down' },
    });
    await lame(filtered);
    assert.equal((await lame(filtered)).cache, 'miss');
    const whole = only({ ...web([[], [item('https://b.org/2')]]), name: 'second' });
    await whole(filtered);
    assert.equal((await whole(filtered)).cache, 'hit');
  });

  test('the same search is a hit until a source changes, and a search that lacked a source is asked anew', async () => {
    const search = searchOver(index);
    state.asked = 0;
    assert.equal((await search(request)).cache, 'miss');
    assert.equal((await search(request)).cache, 'hit');
    assert.equal((await search({ ...request, numResults: 1 })).cache, 'miss');
    assert.equal((await search({ ...request, answer: true })).cache, 'miss');
    state.version = '2';
    assert.equal((await search(request)).cache, 'miss');
    assert.equal(state.asked, 4);
    const lame = searchOver(index, [web(null)]);
    await lame(request);
    assert.equal((await lame(request)).cache, 'miss');
  });
});
