import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import fc from 'fast-check';
import { createCallWindow } from './call-window.ts';
import { createAnswerCache, FRESH_MS, STALE_MS } from './shared-sources.ts';
import { createCallBudget, createCallRecord, hedgeCall } from './source-wire.ts';

describe('call window', () => {
  test('never more calls within any period, and no fewer than fit', () => {
    const bounds = fc.record({
      calls: fc.integer({ min: 1, max: 8 }),
      perMs: fc.integer({ min: 1, max: 1_000 }),
    });
    fc.assert(
      fc.property(
        bounds,
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 80 }),
        ({ calls, perMs }, gaps) => {
          let now = 0;
          const window = createCallWindow({ calls, perMs }, { now: () => now });
          const begun: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const within = begun.filter((at) => now - at < perMs).length;
            assert.equal(window.take(), within < calls);
            if (within < calls) begun.push(now);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('call budget', () => {
  test('extra calls never exceed their share of the regular calls', () => {
    const budget = createCallBudget(0.05);
    let extra = 0;
    for (let due = 1; due <= 10_000; due += 1) {
      budget.count();
      if (budget.take()) extra += 1;
      assert.ok(extra <= due * 0.05 + 1);
    }
    assert.ok(extra > 450, String(extra));
  });
});

describe('call record', () => {
  test('percentiles cover the last two hundred successes', () => {
    const record = createCallRecord();
    assert.equal(record.percentile(0.9), null);
    for (let ms = 1; ms <= 400; ms += 1) record.add({ ok: true, ms });
    record.add({ ok: false, ms: 9_000 });
    assert.equal(record.percentile(0.5), 300);
    assert.equal(record.percentile(0.9), 380);
    assert.equal(record.percentile(1), 400);
    assert.equal(record.successShare(), 199 / 200);
    assert.equal(record.calls(), 401);
  });
});

describe('answer cache', () => {
  test('fresh for five minutes, usable for six hours', () => {
    let now = 0;
    const cache = createAnswerCache({ now: () => now });
    const items = [{ url: 'https://a.org/', title: 'A', snippet: '', publishedDay: null }];
    cache.keep('k', items);
    now = FRESH_MS;
    assert.equal(cache.fresh('k'), items);
    now += 1;
    assert.equal(cache.fresh('k'), null);
    assert.equal(cache.any('k'), items);
    now = STALE_MS + 1;
    assert.equal(cache.any('k'), null);
    assert.equal(cache.any('other'), null);
  });
});

describe('hedge', () => {
  type Play = { calls: ((answer: string) => void)[]; signals: AbortSignal[] };
  const start = (may: boolean): { play: Play; answer: Promise<string> } => {
    const play: Play = { calls: [], signals: [] };
    const answer = hedgeCall(
      (signal) => {
        play.signals.push(signal);
        return new Promise<string>((resolve) => play.calls.push(resolve));
      },
      { afterMs: 100, may: () => may, counts: (text) => text !== 'bad' },
    );
    return { play, answer };
  };
  test('the second call begins when the first is late; the first good answer wins and aborts the other', async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const { play, answer } = start(true);
    mock.timers.tick(99);
    assert.equal(play.calls.length, 1);
    mock.timers.tick(1);
    assert.equal(play.calls.length, 2);
    play.calls[1]?.('second');
    assert.equal(await answer, 'second');
    assert.ok(play.signals[0]?.aborted);
  });
  test('a bad answer waits for the other call; two bad ones are the answer', async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const { play, answer } = start(true);
    mock.timers.tick(100);
    play.calls[0]?.('bad');
    play.calls[1]?.('good');
    assert.equal(await answer, 'good');
  });
  test('without permission there is only one call', async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const { play, answer } = start(false);
    mock.timers.tick(1_000);
    assert.equal(play.calls.length, 1);
    play.calls[0]?.('bad');
    assert.equal(await answer, 'bad');
  });
});
