import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_FILTERS } from '../text/query/filters.ts';
import { createSearchCache, type SearchCache } from './search-cache.ts';
import type { SearchAnswer, SearchRequest } from './search-types.ts';

describe('kept answers of processes over one index', () => {
  const values = new Map<string, unknown>();
  const request: SearchRequest = {
    ...NO_FILTERS,
    query: 'knot',
    numResults: 10,
    contents: null,
    tenant: 'key one',
    signal: new AbortController().signal,
  };
  const answer: SearchAnswer = {
    results: [],
    cache: 'miss',
    timingsMs: {},
    tokens: { raw: 0, output: 0 },
    sources: {},
    filters: {},
    incomplete: [],
  };
  let version = '7/0';
  let now = 1_000;
  let sharesVersions = false;
  let asked: [since: string, now: string][] = [];
  const isUnaffected = async (since: string, at: string): Promise<boolean> => {
    asked.push([since, at]);
    return !at.startsWith('9');
  };
  const start = (): SearchCache =>
    createSearchCache({
      sources: [{ version: async () => version, isUnaffected }],
      clock: { now: () => now },
      shared: {
        values: {
          get: async (place) => structuredClone(values.get(place)) ?? null,
          put: async (place, value) => values.set(place, structuredClone(value)) !== undefined,
        },
        stateOf: (versions) => (sharesVersions ? '' : versions.map((one) => one.split('/')[0]).join()),
        sharesVersions,
      },
    });
  const begin = async (): Promise<[SearchCache, SearchCache]> => {
    values.clear();
    [version, now, asked] = ['7/0', 1_000, []];
    const [here, there] = [start(), start()];
    (await here.look(request)).keep(answer, new Map());
    return [here, there];
  };

  test('serve the same caller in another process, whatever that has put itself', async () => {
    const [, there] = await begin();
    version = '7/5';
    assert.deepEqual((await there.look(request)).answer, answer);
  });

  test('serve no other caller', async () => {
    const [, there] = await begin();
    assert.equal((await there.look({ ...request, tenant: 'key two' })).answer, null);
  });

  test('serve no other process once the index has changed, and go on here while nothing concerns them', async () => {
    const [here, there] = await begin();
    version = '8/1';
    assert.equal((await there.look(request)).answer, null);
    assert.deepEqual((await here.look(request)).answer, answer);
  });

  test('serve another process after changes that do not concern them, where versions mean the same in both', async () => {
    sharesVersions = true;
    const [, there] = await begin();
    version = '8/1';
    assert.deepEqual((await there.look(request)).answer, answer);
    assert.deepEqual(asked, [['7/0', '8/1']]);
    const third = start();
    version = '9/1';
    assert.equal((await third.look(request)).answer, null);
    assert.equal((await there.look(request)).answer, null);
    sharesVersions = false;
  });

  test('stay fresh for five minutes in all, however late another process finds them', async () => {
    const [, there] = await begin();
    now += 299_000;
    assert.deepEqual((await there.look(request)).answer, answer);
    now += 2_000;
    values.clear();
    assert.equal((await there.look(request)).answer, null);
  });
});
