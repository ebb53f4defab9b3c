import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../src/contract/errors.ts';
import { LAST_RESORT_MS } from '../../src/platform/circuit-breaker.ts';
import type { RecallLimits } from '../../src/recall/recall-all.ts';
import { ALL_SOURCES } from '../../src/recall/sources/all-sources.ts';
import { FRESH_MS, STALE_MS } from '../../src/recall/upstream/shared-sources.ts';
import {
  itemsOf,
  type RecallFixture,
  searchRequest,
  startRecallFixture,
  WEB_SOURCES,
} from '../fixtures/recall-fixture.ts';

const MODES = ['ok', 'empty', 'slow', 'down'] as const;
type Mode = (typeof MODES)[number];

const WORLDS = 6;
const SLOW_MS = 150;
/** So long that nobody gets there: what ends a search then is that all have answered, or that none is waited for. */
const NEVER_MS = 600_000;
const NEVER: RecallLimits = { softMs: NEVER_MS, hardMs: NEVER_MS, furtherMs: NEVER_MS };

/** All ways in which four sources can be in four moods. */
const CASES: Mode[][] = Array.from({ length: MODES.length ** WEB_SOURCES.length }, (_, number) =>
  WEB_SOURCES.map((_name, place) => MODES[Math.floor(number / MODES.length ** place) % MODES.length] ?? 'ok'),
);

describe('every way in which four sources can fail', () => {
  test('finds what there is, and answers 503 only if no source answered', async () => {
    const left = [...CASES.entries()];
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const fixture = await startRecallFixture({ limits: NEVER });
        await judge(fixture, next[1]).finally(() => fixture.close());
      }
    };
    await Promise.all(Array.from({ length: WORLDS }, work));
  });
});

async function judge({ upstream, search }: RecallFixture, modes: Mode[]): Promise<void> {
  for (const [place, name] of WEB_SOURCES.entries()) {
    const mode = modes[place] ?? 'ok';
    upstream.play(name, { mode, items: itemsOf(name), ...(mode === 'slow' ? { delayMs: SLOW_MS } : {}) });
  }
  // An empty list of a metasearch server proves nothing, and it finds nothing else either.
  const isAnswer = (mode: Mode, place: number): boolean =>
    mode !== 'down' && !(mode === 'empty' && place === 0);
  const finds = (mode: Mode): boolean => mode === 'ok' || mode === 'slow';
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
}

describe('when all is down', () => {
  test('earlier answers are served and marked; a new query is a 503', async () => {
    let now = Date.now();
    const fixture = await startRecallFixture({ clock: { now: () => now } });
    try {
      const before = await fixture.search(searchRequest('red knot'));
      assert.equal(before.cache, 'miss');
      for (const name of WEB_SOURCES) fixture.upstream.play(name, { mode: 'down' });
      now += FRESH_MS + 1;
      const after = await fixture.search(searchRequest('red knot'));
      assert.equal(after.cache, 'stale');
      assert.ok(after.results.length > 0 && !after.results.some(({ url }) => isForgotten(url)));
      assert.partialDeepStrictEqual(after.sources.searxng, { ok: false, staleResults: 4 });
      await assert.rejects(fixture.search(searchRequest('grey plover')), { code: 'recall_unavailable' });
      now += STALE_MS;
      await assert.rejects(fixture.search(searchRequest('red knot')), { code: 'recall_unavailable' });
    } finally {
      await fixture.close();
    }
  });
});

/** By which nothing takes time: only what a test leaves hanging is late. */
const STANDING = { now: () => Date.parse('2026-11-21T12:00:00Z') };

/** Turns of the event loop: more than a call on loopback takes, however busy the machine. */
const TURNS_MAX = 1_000_000;

describe('when the network was away', () => {
  test('searches find again two seconds after it is back, however long the breakers would stay open', async () => {
    let now = Date.now();
    const fixture = await startRecallFixture({ clock: { now: () => now }, limits: NEVER });
    const play = (mode: 'down' | 'ok'): void => {
      for (const name of WEB_SOURCES) fixture.upstream.play(name, { mode, items: itemsOf(name) });
    };
    const isFound = (query: string): Promise<boolean> =>
      fixture.search(searchRequest(query)).then(
        ({ results }) => results.length > 0,
        ({ code }) => assert.equal(code, 'recall_unavailable') ?? false,
      );
    try {
      play('down');
      for (let search = 0; search < 40; search += 1) {
        assert.equal(await isFound(`away ${search}`), false);
        now += 2_000;
      }
      for (const { state, breaker, name } of fixture.upstreams.readings())
        assert.ok(state === 'off' || breaker === 'open', name);
      play('ok');
      now += LAST_RESORT_MS;
      assert.equal(await isFound('back'), true);
      // The first answer is enough; the others are not waited for, and are known to be back a moment later.
      const isBack = (): boolean => fixture.upstreams.readings().every(({ breaker }) => breaker === 'closed');
      for (let turn = 0; turn < TURNS_MAX && !isBack(); turn += 1) await setImmediate();
      assert.ok(isBack());
    } finally {
      await fixture.close();
    }
  });
});

/** Results of sources whose terms let nothing be kept. */
function isForgotten(url: string): boolean {
  return ALL_SOURCES.some(({ name, mayBeCached }) => !mayBeCached && url.startsWith(`https://${name}.`));
}

/** Calls that have come to an end, by source. */
function ended({ upstreams }: RecallFixture): Record<string, number> {
  return Object.fromEntries(upstreams.readings().map(({ name, calls }) => [name, calls]));
}

describe('sources that hang', () => {
  test('all of them: the search ends at its deadline, while they still hang', async () => {
    const fixture = await startRecallFixture({ limits: { softMs: 20, hardMs: 60 } });
    try {
      for (const name of WEB_SOURCES) fixture.upstream.play(name, { mode: 'hang' });
      await assert.rejects(fixture.search(searchRequest('red knot')), { code: 'recall_unavailable' });
      for (const name of WEB_SOURCES) assert.equal(ended(fixture)[name], 0, name);
    } finally {
      await fixture.close();
    }
  });

  test('one of them costs a search its patience and the next ones nothing', async () => {
    const fixture = await startRecallFixture({ clock: STANDING });
    try {
      fixture.upstream.play('kagi', { mode: 'hang' });
      const first = await fixture.searchWithin({ softMs: 1_000, hardMs: NEVER_MS })(searchRequest('first'));
      assert.ok(first.results.length > 0);
      assert.equal(first.sources.kagi?.ok, false);
      // Whoever waited for it now would wait for the end of its call, and it would have ended.
      const patient = fixture.searchWithin(NEVER);
      for (let number = 0; number < 3; number += 1) {
        const { results, sources } = await patient(searchRequest(`query ${number}`));
        assert.ok(results.length > 0);
        assert.deepEqual(sources.kagi, { ok: false, error: 'timeout', ms: NEVER_MS });
      }
      assert.ok(fixture.upstream.asked('kagi').length > 1, 'it is still asked');
    } finally {
      await fixture.close();
    }
  });

  test('once it has answered in time again it is waited for again', async () => {
    const fixture = await startRecallFixture({ clock: STANDING });
    const others = WEB_SOURCES.filter((name) => name !== 'kagi');
    try {
      fixture.upstream.play('kagi', { mode: 'hang' });
      await fixture.searchWithin({ softMs: 20, hardMs: NEVER_MS })(searchRequest('first'));
      // The only one that answers: no search ends before it.
      fixture.upstream.play('kagi', { mode: 'ok', items: itemsOf('kagi') });
      for (const name of others) fixture.upstream.play(name, { mode: 'down' });
      const patient = fixture.searchWithin(NEVER);
      assert.equal((await patient(searchRequest('second'))).sources.kagi?.ok, true);
      for (const name of others) fixture.upstream.play(name, { mode: 'ok', items: itemsOf(name) });
      fixture.upstream.play('kagi', { mode: 'slow', delayMs: SLOW_MS, items: itemsOf('kagi') });
      const { sources } = await patient(searchRequest('third'));
      assert.partialDeepStrictEqual(sources.kagi, { ok: true, results: 4 });
    } finally {
      await fixture.close();
    }
  });
});
