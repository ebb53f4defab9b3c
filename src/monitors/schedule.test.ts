import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MonitorSchedule } from './monitor-types.ts';
import { ADAPTIVE_MS, formatSchedule, parseSchedule, planNextCheck } from './schedule.ts';

const NOON = Date.parse('2026-11-27T12:00:00Z');
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const parse = (text: string, timeZone = 'UTC') => parseSchedule(text, { timeZone, now: NOON });
const scheduleOf = (text: string, timeZone = 'UTC'): MonitorSchedule => {
  const schedule = parse(text, timeZone);
  assert.ok(typeof schedule === 'object', String(schedule));
  return schedule;
};

describe('parseSchedule', () => {
  test('reads intervals, cron words and adaptive, and writes them as they were', () => {
    assert.deepEqual(parse('15m'), { kind: 'interval', ms: 15 * MINUTE });
    assert.deepEqual(parse(' 2 h '), { kind: 'interval', ms: 2 * HOUR });
    assert.deepEqual(parse('adaptive'), { kind: 'adaptive' });
    for (const text of ['15m', '2h', '1d', 'adaptive', '0 9 * * 1-5'])
      assert.equal(formatSchedule(scheduleOf(text)), text);
  });

  test('says what is wrong with everything else', () => {
    assert.match(String(parse('4m')), /at least 5m/);
    assert.match(String(parse('31d')), /at most 30d/);
    assert.match(String(parse('* * * * *')), /at least 5 minutes between two checks/);
    assert.match(String(parse('0,2 9 * * *')), /at least 5 minutes between two checks/);
    assert.match(String(parse('0 0 30 2 *')), /name no time/);
    for (const text of ['', 'often', '99 99 * * *', '* * * * * *', '0 9 * *'])
      assert.match(String(parse(text)), /must be adaptive, an interval such as/);
  });
});

describe('planNextCheck', () => {
  const plan = (schedule: MonitorSchedule, change = {}) =>
    planNextCheck(
      schedule,
      Object.assign({ now: NOON, intervalMs: HOUR, isChanged: false, failures: 0 }, change),
    );

  test('an interval counts from the check that was made', () => {
    assert.equal(plan(scheduleOf('2h')).nextAt, NOON + 2 * HOUR);
  });

  test('cron words are read in their time zone, also where its clocks change', () => {
    assert.equal(
      new Date(plan(scheduleOf('0 9 * * *', 'Europe/Vienna')).nextAt).toISOString(),
      '2026-11-28T08:00:00.000Z',
    );
    const summer = Date.parse('2026-03-28T12:00:00Z');
    assert.equal(
      new Date(plan(scheduleOf('0 9 * * *', 'Europe/Vienna'), { now: summer }).nextAt).toISOString(),
      '2026-03-29T07:00:00.000Z',
    );
  });

  test('an adaptive monitor looks sooner after a change and later without one, within its bounds', () => {
    const schedule = scheduleOf('adaptive');
    const sooner = plan(schedule, { isChanged: true });
    assert.deepEqual(sooner, { nextAt: NOON + HOUR / 2, intervalMs: HOUR / 2 });
    assert.deepEqual(plan(schedule), { nextAt: NOON + 1.5 * HOUR, intervalMs: 1.5 * HOUR });
    assert.equal(plan(schedule, { isChanged: true, intervalMs: ADAPTIVE_MS.min }).intervalMs, 15 * MINUTE);
    assert.equal(plan(schedule, { intervalMs: ADAPTIVE_MS.max }).intervalMs, 7 * DAY);
  });

  test('failures put the next check off, up to a day', () => {
    const schedule = scheduleOf('5m');
    const pauses = [1, 2, 3, 20].map((failures) => plan(schedule, { failures }).nextAt - NOON);
    assert.deepEqual(pauses, [10 * MINUTE, 20 * MINUTE, 40 * MINUTE, DAY]);
    assert.equal(plan(scheduleOf('2d'), { failures: 1 }).nextAt - NOON, 2 * DAY);
  });
});
