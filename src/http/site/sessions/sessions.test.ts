import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../contract/errors.ts';
import { createAttempts } from './attempts.ts';
import { CSRF_FIELD, checkCsrf, isReachedOverTls } from './session-cookie.ts';
import { createSessions } from './sessions.ts';

const MINUTE = 60_000;

function sessionsAt(parts: { sessionsMax?: number; isSecure?: boolean } = {}) {
  const clock = { at: 0, now: () => clock.at };
  const sessions = createSessions<string>({
    name: 'visit',
    path: '/here',
    idleMs: 10 * MINUTE,
    lastsMs: 60 * MINUTE,
    clock,
    sessionsMax: parts.sessionsMax ?? 3,
    isSecure: () => parts.isSecure ?? false,
  });
  const begin = (data: string): { cookie: string } => ({
    cookie: sessions.begin(data, {}).cookie.split(';')[0] ?? '',
  });
  return { clock, sessions, begin };
}

test('a session is found by its cookie, which scripts and other sites cannot use', () => {
  const { sessions } = sessionsAt();
  const { cookie, session } = sessions.begin('Anna', {});
  assert.match(cookie, /^visit=[\w-]{43}; Path=\/here; Max-Age=3600; HttpOnly; SameSite=Strict$/);
  assert.deepEqual(sessions.find({ cookie: `other=1; ${cookie.split(';')[0]}` }), session);
  assert.equal(session.data, 'Anna');
  assert.equal(sessions.find({}), null);
  assert.equal(sessions.find({ cookie: `visit=${'x'.repeat(43)}` }), null);
  assert.match(sessionsAt({ isSecure: true }).sessions.begin('Anna', {}).cookie, /; Secure$/);
});

test('the cookie does not contain the token of the forms, nor the token the cookie', () => {
  const { cookie, session } = sessionsAt().sessions.begin('Anna', {});
  assert.ok(!cookie.includes(session.csrf));
});

test('a session ends when it is idle, after its longest time, and when it is ended', () => {
  const { clock, sessions, begin } = sessionsAt();
  const idle = begin('idle');
  const busy = begin('busy');
  for (let minute = 9; minute <= 54; minute += 9) {
    clock.at = minute * MINUTE;
    assert.ok(sessions.find(busy), `minute ${minute}`);
  }
  assert.equal(sessions.find(idle), null);
  clock.at = 60 * MINUTE;
  assert.equal(sessions.find(busy), null);
  const left = begin('left');
  assert.match(sessions.end(left), /^visit=; Path=\/here; Max-Age=0; HttpOnly/);
  assert.equal(sessions.find(left), null);
});

test('beyond the bound the session that was used least lately ends', () => {
  const { sessions, begin } = sessionsAt({ sessionsMax: 2 });
  const [first, second] = [begin('first'), begin('second')];
  assert.ok(sessions.find(first));
  const third = begin('third');
  assert.deepEqual(
    [first, second, third].map((headers) => sessions.find(headers)?.data),
    ['first', undefined, 'third'],
  );
});

test('a form needs the token of its own session', () => {
  const { sessions } = sessionsAt();
  const { session } = sessions.begin('Anna', {});
  const other = sessions.begin('Ben', {}).session;
  checkCsrf(new URLSearchParams({ [CSRF_FIELD]: session.csrf }), session);
  for (const sent of [{}, { [CSRF_FIELD]: '' }, { [CSRF_FIELD]: other.csrf }])
    assert.throws(
      () => checkCsrf(new URLSearchParams(sent as Record<string, string>), session),
      (error) => error instanceof Failure && error.code === 'forbidden',
    );
});

test('TLS is known by the public address and by what a proxy reports', () => {
  const urls = ['https://search.example.org'];
  assert.ok(isReachedOverTls({ host: 'Search.example.org' }, urls));
  assert.ok(isReachedOverTls({ host: '10.0.0.1', 'x-forwarded-proto': 'https' }, []));
  assert.ok(!isReachedOverTls({ host: '127.0.0.1:8080' }, urls));
  assert.ok(!isReachedOverTls({ host: 'search.example.org' }, ['http://search.example.org']));
});

const wrong = async (): Promise<null> => null;

test('attempts are bounded for each network and for a time', async () => {
  const clock = { at: 0, now: () => clock.at };
  const attempts = createAttempts({ triesMax: 3, windowMs: 15 * MINUTE, clock });
  for (let tried = 0; tried < 3; tried++) assert.equal(await attempts.guess('here', wrong), null);
  await assert.rejects(
    attempts.guess('here', wrong),
    (error) => error instanceof Failure && error.code === 'rate_limited' && error.retryAfterSeconds === 900,
  );
  await attempts.guess('there', wrong);
  clock.at = 15 * MINUTE;
  await attempts.guess('here', wrong);
});

test('a try counts while it is looked up, and no longer once it was right or the look-up failed', async () => {
  const clock = { at: 0, now: () => clock.at };
  const attempts = createAttempts({ triesMax: 1, windowMs: MINUTE, clock });
  const look = Promise.withResolvers<string>();
  const guess = attempts.guess('here', () => look.promise);
  await assert.rejects(attempts.guess('here', wrong), /Too many attempts/);
  look.resolve('right');
  assert.equal(await guess, 'right');
  await assert.rejects(
    attempts.guess('here', () => Promise.reject(new Error('no ledger'))),
    /no ledger/,
  );
  const late = Promise.withResolvers<string>();
  const lateGuess = attempts.guess('here', () => late.promise);
  clock.at = MINUTE;
  await attempts.guess('here', wrong);
  late.resolve('right');
  await lateGuess;
  await assert.rejects(attempts.guess('here', wrong), /Too many attempts/);
});
