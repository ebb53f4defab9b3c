import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { ALL_SOURCES } from '../../src/retrieval/recall/sources/all-sources.ts';
import { FRESH_MS, STALE_MS } from '../../src/retrieval/recall/upstream/answer-cache.ts';
import {
  itemsOf,
  type RecallWorld,
  searchRequest,
  startRecallWorld,
  WEB_SOURCES,
} from '../world/recall-world.ts';

const MODES = ['ok', 'empty', 'slow', 'down'] as const;
type Mode = (typeof MODES)[number];

const WORLDS = 6;
const SLOW_MS = 150;
/** Above the hard deadline, for a machine that has other things to do. */
const MS_MAX = 6_500;

/** All ways in which four sources can be in four moods. */
const CASES: Mode[][] = Array.from({ length: MODES.length ** WEB_SOURCES.length }, (_, number) =>
  WEB_SOURCES.map((_name, place) => MODES[Math.floor(number / MODES.length ** place) % MODES.length] ?? 'ok'),
);

describe('every way in which four sources can fail', () => {
  test('finds what there is, says 503 only when nobody answered, and never takes longer than it may', async () => {
    const left = [...CASES.entries()];
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const world = await startRecallWorld();
        await judge(world, next[1]).finally(() => world.close());
      }
    };
    await Promise.all(Array.from({ length: WORLDS }, work));
  });
});

async function judge({ upstream, search }: RecallWorld, modes: Mode[]): Promise<void> {
  for (const [place, name] of WEB_SOURCES.entries()) {
    const mode = modes[place] ?? 'ok';
    upstream.play(name, { mode, items: itemsOf(name), ...(mode === 'slow' ? { delayMs: SLOW_MS } : {}) });
  }
  // An empty list of a metasearch server proves nothing, and it finds nothing else either.
  const isAnswer = (mode: Mode, place: number): boolean =>
    mode !== 'down' && !(mode === 'empty' && place === 0);
  const finds = (mode: Mode): boolean => mode === 'ok' || mode === 'slow';
  const begun = performance.now();
  const told = modes.join();
  try {
    const { results, sources } = await search(searchRequest(`birds of ${told}`));
    assert.ok(modes.some(isAnswer), `${told}: nobody answered`);
    if (modes.includes('ok')) assert.ok(results.length > 0, told);
    if (!modes.some(finds)) assert.deepEqual(results, [], told);
    assert.deepEqual(Object.keys(sources).sort(), [...WEB_SOURCES].sort());
    for (const [place, name] of WEB_SOURCES.entries()) {
      if (modes[place] === 'ok') assert.partialDeepStrictEqual(sources[name], { ok: true, results: 4 }, told);
      if (modes[place] === 'down') assert.equal(sources[name]?.ok, false, told);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.equal(error.code, 'recall_unavailable');
    assert.ok(!modes.some(isAnswer), `${told}: somebody answered`);
  }
  const ms = performance.now() - begun;
  assert.ok(ms < MS_MAX, `${told}: ${ms} ms`);
}

describe('when all is down', () => {
  test('what was answered before is served and marked; what nobody has asked is a 503', async () => {
    let now = Date.now();
    const world = await startRecallWorld({ clock: { now: () => now } });
    try {
      const before = await world.search(searchRequest('red knot'));
      assert.equal(before.cache, 'miss');
      for (const name of WEB_SOURCES) world.upstream.play(name, { mode: 'down' });
      now += FRESH_MS + 1;
      const after = await world.search(searchRequest('red knot'));
      assert.equal(after.cache, 'stale');
      assert.ok(after.results.length > 0 && !after.results.some(({ url }) => isForgotten(url)));
      assert.partialDeepStrictEqual(after.sources.searxng, { ok: false, staleResults: 4 });
      await assert.rejects(world.search(searchRequest('grey plover')), { code: 'recall_unavailable' });
      now += STALE_MS;
      await assert.rejects(world.search(searchRequest('red knot')), { code: 'recall_unavailable' });
    } finally {
      await world.close();
    }
  });
});

/** Results of sources whose terms let nothing be kept. */
function isForgotten(url: string): boolean {
  return ALL_SOURCES.some(({ name, mayBeCached }) => !mayBeCached && url.startsWith(`https://${name}.`));
}

describe('one source that hangs', () => {
  test('costs the first search its patience and the next ones nothing', async () => {
    const world = await startRecallWorld({ limits: { softMs: 400, hardMs: 1_000 } });
    try {
      world.upstream.play('kagi', { mode: 'hang' });
      const took: number[] = [];
      for (let search = 0; search < 12; search += 1) {
        const begun = performance.now();
        const { results, sources } = await world.search(searchRequest(`query ${search}`));
        took.push(performance.now() - begun);
        assert.ok(results.length > 0);
        assert.equal(sources.kagi?.ok, false);
      }
      assert.ok((took[0] ?? 0) >= 390, String(took[0]));
      assert.ok(Math.max(...took.slice(1)) < 390, took.join());
    } finally {
      await world.close();
    }
  });
});
