import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLoadOfDay } from './load-of-day.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-21T12:00:00Z');

function loadAt(at = START) {
  const clock = { at, now: () => clock.at };
  const load = createLoadOfDay(clock);
  const note = (status: number, ms: number, times = 1): void => {
    for (let noted = 0; noted < times; noted++) load.note({ route: '/', status, ms });
  };
  return { clock, load, note };
}

test('requests are counted by span, with what was refused, failed, and how long it took', () => {
  const { clock, load, note } = loadAt();
  note(200, 4, 18);
  note(422, 4);
  note(503, 4_000);
  note(499, 4);
  clock.at += HOUR;
  note(200, 60);
  const points = load.spans(60);
  assert.equal(points.length, 24);
  assert.deepEqual(points.slice(-2), [
    { at: START, requests: 21, refused: 1, failed: 1, p50Ms: 5, p95Ms: 5 },
    { at: START + HOUR, requests: 1, refused: 0, failed: 0, p50Ms: 100, p95Ms: 100 },
  ]);
  assert.deepEqual(points[0], {
    at: START - 22 * HOUR,
    requests: 0,
    refused: 0,
    failed: 0,
    p50Ms: null,
    p95Ms: null,
  });
});

test('what is older than a day is gone, minute by minute', () => {
  const { clock, load, note } = loadAt();
  const all = (): number => load.spans(15).reduce((sum, { requests }) => sum + requests, 0);
  note(200, 1, 5);
  clock.at += 23 * HOUR;
  note(200, 1, 2);
  assert.equal(all(), 7);
  clock.at += HOUR;
  assert.equal(all(), 2);
  note(200, 1);
  assert.equal(all(), 3);
  clock.at += 100 * HOUR;
  assert.equal(all(), 0);
});

test('the slowest twentieth is named by the end of its span', () => {
  const { load, note } = loadAt();
  note(200, 20, 90);
  note(200, 200, 10);
  note(200, 999_999);
  const [{ p50Ms, p95Ms } = { p50Ms: null, p95Ms: null }] = load.spans(60).slice(-1);
  assert.deepEqual([p50Ms, p95Ms], [25, 250]);
});
