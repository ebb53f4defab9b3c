import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IN_FLIGHT_MAX } from '../../../contract/limits.ts';
import { createRequestLimit, REQUESTS_FEW, REQUESTS_LEAST, STEP_MS } from './request-limit.ts';

/** A limit whose pressure and time the test sets; `press` lets that much time pass in steps, with a request in each. */
function pressed() {
  const state = { isHigh: false, at: 0 };
  const limit = createRequestLimit({ isHigh: () => state.isHigh }, () => state.at);
  const pass = (isHigh: boolean, ms: number): void => {
    state.isHigh = isHigh;
    for (const end = state.at + ms; state.at < end; ) {
      state.at += STEP_MS;
      limit.enter('prober')?.();
    }
  };
  return { limit, pass };
}

describe('requests in flight', () => {
  test('are not counted by caller while there is no pressure', () => {
    const { limit } = pressed();
    for (let nth = 0; nth < IN_FLIGHT_MAX; nth += 1) assert.ok(limit.enter('one'));
    assert.ok(!limit.isLowered());
  });

  test('under pressure a flood is refused, and another caller is not', () => {
    const { limit, pass } = pressed();
    const places = Array.from({ length: 200 }, () => limit.enter('flood'));
    pass(true, 2_000);
    assert.equal(limit.load().limit, REQUESTS_LEAST);
    assert.ok(!limit.hasPlace('flood') && limit.hasPlace('other'));
    assert.equal(limit.enter('flood'), null);
    const other = limit.enter('other');
    assert.ok(other);
    other();
    for (const leave of places) leave?.();
    const share = Array.from({ length: 200 }, () => limit.enter('flood')).filter((place) => place !== null);
    assert.equal(share.length, REQUESTS_LEAST / 2);
  });

  test('are not limited under pressure while few are under way', () => {
    const { limit, pass } = pressed();
    const places = Array.from({ length: REQUESTS_FEW - 1 }, () => limit.enter('one'));
    pass(true, 60_000);
    assert.ok(!limit.isLowered());
    for (const leave of places) leave?.();
  });

  test('however long the pressure lasts, 32 requests of one caller or of eight are not refused', () => {
    for (const callers of [1, 8]) {
      const { limit, pass } = pressed();
      pass(true, 60_000);
      const places = Array.from({ length: 32 }, (_, nth) => limit.enter(`caller ${nth % callers}`));
      assert.ok(places.every((place) => place !== null));
    }
  });

  test('without any pressure for 5 s all is as it was, even if nobody asked meanwhile', () => {
    const { limit, pass } = pressed();
    for (let nth = 0; nth < REQUESTS_FEW; nth += 1) limit.enter('one');
    pass(true, 2_000);
    assert.ok(limit.isLowered());
    pass(false, STEP_MS);
    assert.ok(limit.isLowered());
    for (let waited = 0; waited < 5_000; waited += STEP_MS) pass(false, STEP_MS);
    assert.ok(!limit.isLowered());
  });
});
