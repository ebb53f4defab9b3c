import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../contract/errors.ts';
import {
  ARRIVING_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  IN_FLIGHT_MAX,
  SMALL_BODY_BYTES,
} from '../../contract/limits.ts';
import {
  createLoad,
  createLoopTurns,
  createPressure,
  createRequestLimit,
  type Load,
  REQUESTS_FEW,
  REQUESTS_LEAST,
  SLICE_MS,
  STEP_MS,
} from './admission.ts';

const A = { address: '192.0.2.1' };
const B = { address: '192.0.2.2' };

const createCalmLoad = (): Load => createLoad({ enter: () => () => {}, hasPlace: () => true });
const isOverloaded = (error: unknown): boolean => error instanceof Failure && error.code === 'overloaded';

test('refuses requests while the bytes in flight are at their limit', () => {
  const load = createCalmLoad();
  const [small, large] = [load.begin(), load.begin()];
  small.addBytes(1);
  large.addBytes(IN_FLIGHT_BYTES_MAX - 2);
  load.assertRoom('one');
  large.addBytes(1);
  assert.throws(() => load.assertRoom('one'), isOverloaded);
  small.end();
  load.assertRoom('one');
  large.end();
  large.end();
  small.addBytes(IN_FLIGHT_BYTES_MAX - 1);
  load.assertRoom('one');
});

test('refuses requests while the running calls are at their limit', () => {
  const load = createCalmLoad();
  const requests = Array.from({ length: IN_FLIGHT_MAX }, () => load.begin());
  load.assertRoom('one');
  for (const request of requests) request.startCall('one');
  assert.throws(() => load.assertRoom('one'), isOverloaded);
  requests[0]?.endCall(0);
  load.assertRoom('one');
  requests[0]?.end();
  requests[1]?.startCall('one');
  load.assertRoom('one');
});

test('large arriving bodies leave room for small ones and for calls', () => {
  const load = createCalmLoad();
  const [large, small, next] = [load.begin(), load.begin(), load.begin()];
  large.addArriving(ARRIVING_BYTES_MAX);
  small.addArriving(SMALL_BODY_BYTES);
  assert.throws(() => next.addArriving(SMALL_BODY_BYTES + 1), isOverloaded);
  load.assertRoom('one');
  large.startCall('one');
  next.addArriving(SMALL_BODY_BYTES + 1);
  assert.throws(() => small.addArriving(ARRIVING_BYTES_MAX), isOverloaded);
});

test('only the caller whose requests hold half of the room is refused', () => {
  const load = createCalmLoad();
  const body = IN_FLIGHT_BYTES_MAX / 8;
  const arrive = (bytes: number) => {
    const request = load.begin();
    request.addBytes(bytes);
    return request;
  };
  const flood = Array.from({ length: 4 }, () => {
    const request = arrive(body);
    request.assignTo('flood');
    return request;
  });
  assert.throws(() => arrive(1).assignTo('flood'), isOverloaded);
  arrive(1).assignTo('other');
  load.assertRoom('one');
  flood[0]?.end();
  flood[0]?.end();
  arrive(1).assignTo('flood');
});

test('a request counts towards its caller once, however often it is assigned, and includes its response', () => {
  const load = createCalmLoad();
  const request = load.begin();
  request.addBytes(IN_FLIGHT_BYTES_MAX / 2);
  for (let times = 0; times < 3; times++) request.assignTo('key a');
  request.addBytes(1);
  assert.throws(() => request.assignTo('key a'), isOverloaded);
  request.end();
  request.assignTo('key a');
});

for (const [what, late, share, isShort, isHigh] of [
  ['an event loop that is late and takes a whole core', 40, 1, false, true],
  ['one that is late on a machine that is busy with something else', 40, 0.7, false, false],
  ['one that is half a second late, whatever the machine does', 600, 0.2, false, true],
  ['one that takes a whole core and keeps its times', 3, 1, false, false],
  ['memory that is nearly used up', 0, 0, true, true],
] as const)
  test(`${what}: ${isHigh ? 'pressure' : 'no pressure'}`, () => {
    const parts = {
      loopDelay: { ms: () => late },
      loopShare: () => share,
      memory: { isShort: () => isShort },
    };
    assert.equal(createPressure(parts).isHigh(), isHigh);
  });

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

/** LoopTurns on a loop whose time and passes the test drives; each request takes `ms` when it begins and notes its name. */
function driven() {
  let at = 0;
  let passes: (() => void)[] = [];
  const began: string[] = [];
  const turns = createLoopTurns({ now: () => at, nextPass: (run) => void passes.push(run) });
  return {
    began,
    turns,
    take(name: string, whose: { address: string; claim?: string }, ms: number): void {
      turns.take({ claim: '', ...whose }, () => {
        began.push(name);
        at += ms;
      });
    },
    pass(): void {
      const due = passes;
      passes = [];
      for (const run of due) run();
    },
    isIdle: () => passes.length === 0,
  };
}

test('requests begin at once while the loop has time', () => {
  const { take, began, turns, pass, isIdle } = driven();
  for (let nth = 0; nth < 20; nth += 1) take(`a${nth}`, A, 0.1);
  assert.deepEqual([began.length, turns.waiting()], [20, 0]);
  pass();
  assert.ok(isIdle());
});

test('a request behind many costly ones of another address begins in the next pass', () => {
  const { take, began, pass, turns } = driven();
  for (let nth = 0; nth < 24; nth += 1) take(`a${nth}`, A, 15);
  take('b', B, 1);
  assert.deepEqual(began, ['a0']);
  pass();
  assert.equal(began[1], 'b');
  for (let nth = 0; nth < 40; nth += 1) pass();
  assert.deepEqual([began.length, turns.waiting()], [25, 0]);
});

test('no pass begins more once its slice is used up', () => {
  const { take, began, pass } = driven();
  for (let nth = 0; nth < 10; nth += 1) take(`a${nth}`, A, SLICE_MS / 2);
  assert.equal(began.length, 2);
  pass();
  assert.equal(began.length, 4);
});

test('who has used less begins first, however many requests the other has', () => {
  const { take, began, pass } = driven();
  for (let nth = 0; nth < 10; nth += 1) {
    take(`a${nth}`, A, 20);
    take(`b${nth}`, B, 2);
  }
  for (let nth = 0; nth < 5; nth += 1) pass();
  const costly = began.filter((name) => name.startsWith('a')).length;
  assert.ok(began.length - costly > 2 * costly, began.join(' '));
});

test('keys behind one address take turns, and many of them gain nothing over another address', () => {
  const { take, began, pass } = driven();
  for (let nth = 0; nth < 12; nth += 1) take(`a${nth}`, { ...A, claim: `key ${nth % 6}` }, 15);
  take('a, another key', { ...A, claim: 'own' }, 15);
  take('b', B, 15);
  for (let nth = 0; nth < 8; nth += 1) pass();
  assert.ok(began.indexOf('b') <= 2, began.join(' '));
  assert.ok(began.includes('a, another key'), began.join(' '));
});

test('nothing is kept of callers once nobody waits, and nobody is favoured for having been idle', () => {
  const { take, began, pass, isIdle } = driven();
  take('a', A, 500);
  pass();
  assert.ok(isIdle());
  take('a again', A, 20);
  take('a once more', A, 20);
  take('b', B, 20);
  pass();
  pass();
  assert.deepEqual(began, ['a', 'a again', 'b', 'a once more']);
});
