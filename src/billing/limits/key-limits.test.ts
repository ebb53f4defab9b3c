import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../contract/errors.ts';
import { createKeyLimiter, type KeyLimits } from './key-limits.ts';

const MINUTE = 60_000;
const NO_LIMITS: KeyLimits = { perMinute: null, perDay: null };

function limiterAt(start: number) {
  let now = start;
  const days: string[] = [];
  const events: string[] = [];
  const limiter = createKeyLimiter({
    async countToday(keyId, most) {
      if (days.length >= most) return null;
      return days.push(keyId);
    },
    clock: { now: () => now },
    events: { rateLimited: (span) => void events.push(span) },
  });
  return {
    days,
    events,
    move(ms: number) {
      now += ms;
    },
    /** The seconds to wait after a refused call, null after a counted one. */
    async waitAfter(keyId: string, limits: Partial<KeyLimits>): Promise<number | null> {
      try {
        await limiter.count(keyId, { ...NO_LIMITS, ...limits });
        return null;
      } catch (error) {
        assert.ok(error instanceof Failure && error.code === 'rate_limited');
        return error.retryAfterSeconds;
      }
    },
  };
}

test('a key makes its calls per minute, then waits for the next minute; other keys are not affected', async () => {
  const at = limiterAt(10 * MINUTE + 15_500);
  for (const wait of [null, null, 45, 45]) assert.equal(await at.waitAfter('one', { perMinute: 2 }), wait);
  assert.equal(await at.waitAfter('two', { perMinute: 1 }), null);
  at.move(44_500);
  for (const wait of [null, null, 60]) assert.equal(await at.waitAfter('one', { perMinute: 2 }), wait);
  assert.deepEqual(at.events, ['minute', 'minute', 'minute']);
});

test('a day resets at midnight UTC; a call refused for its minute counts towards no day', async () => {
  const at = limiterAt(23 * 60 * MINUTE + 59 * MINUTE);
  const limits = { perMinute: 2, perDay: 2 };
  for (const wait of [null, null, 60, 60]) assert.equal(await at.waitAfter('one', limits), wait);
  assert.deepEqual(at.days, ['one', 'one']);
  at.move(-MINUTE);
  assert.equal(await at.waitAfter('one', limits), 120);
  assert.deepEqual(at.events, ['minute', 'minute', 'day']);
});

test('the message names the limit and the wait', async () => {
  const limiter = createKeyLimiter({
    countToday: async () => null,
    clock: { now: () => 0 },
    events: { rateLimited() {} },
  });
  await assert.rejects(limiter.count('one', { perMinute: null, perDay: 1 }), {
    message: 'This key may make 1 call per day (UTC); the count resets in 86400 s.',
  });
});
