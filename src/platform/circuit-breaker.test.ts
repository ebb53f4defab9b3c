import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { CallOutcome } from './circuit-breaker.ts';
import {
  type Breaker,
  createBreaker,
  LAST_RESORT_MS,
  OPEN_MS_FIRST,
  OPEN_MS_MAX,
} from './circuit-breaker.ts';

let now = 0;
let breaker: Breaker;

function calls(count: number, outcome: CallOutcome): void {
  for (let call = 0; call < count; call += 1) {
    const tell = breaker.admit();
    assert.ok(tell !== null, `call ${call} is let through`);
    tell(outcome);
  }
}

describe('breaker', () => {
  beforeEach(() => {
    now = 1_000_000;
    breaker = createBreaker({ now: () => now });
  });

  test('nine failures are too few, ten open it for thirty seconds', () => {
    calls(9, 'failed');
    assert.equal(breaker.state(), 'closed');
    calls(1, 'failed');
    assert.equal(breaker.state(), 'open');
    assert.equal(breaker.admit(), null);
    now += OPEN_MS_FIRST - 1;
    assert.equal(breaker.state(), 'open');
    now += 1;
    assert.equal(breaker.state(), 'half_open');
  });

  test('half of the calls failing opens it, fewer do not', () => {
    calls(6, 'ok');
    calls(5, 'failed');
    assert.equal(breaker.state(), 'closed');
    calls(1, 'failed');
    assert.equal(breaker.state(), 'open');
  });

  test('failures of more than thirty seconds ago are forgotten', () => {
    calls(9, 'failed');
    now += 30_000;
    calls(9, 'failed');
    assert.equal(breaker.state(), 'closed');
  });

  test('three refusals in a row open it, unless a success comes between them', () => {
    calls(2, 'shut');
    calls(1, 'ok');
    calls(2, 'shut');
    assert.equal(breaker.state(), 'closed');
    calls(1, 'shut');
    assert.equal(breaker.state(), 'open');
  });

  test('one probe at a time; its success closes, its failure doubles the time up to ten minutes', () => {
    calls(10, 'failed');
    let wait = OPEN_MS_FIRST;
    for (let probe = 0; probe < 8; probe += 1) {
      now += wait - 1;
      assert.equal(breaker.admit(), null);
      now += 1;
      const tell = breaker.admit();
      assert.ok(tell !== null);
      assert.equal(breaker.admit(), null, 'a second call waits for the word of the probe');
      tell('failed');
      wait = Math.min(OPEN_MS_MAX, wait * 2);
    }
    assert.equal(wait, OPEN_MS_MAX);
    now += wait;
    breaker.admit()?.('ok');
    assert.equal(breaker.state(), 'closed');
    calls(10, 'failed');
    now += OPEN_MS_FIRST;
    assert.equal(breaker.state(), 'half_open', 'the first time is short again');
  });

  test('a call from before it opened does not count as the probe', () => {
    const old = breaker.admit();
    calls(10, 'failed');
    now += OPEN_MS_FIRST;
    const probe = breaker.admit();
    old?.('ok');
    assert.equal(breaker.state(), 'half_open');
    assert.equal(breaker.admit(), null);
    probe?.('ok');
    assert.equal(breaker.state(), 'closed');
  });

  test('a pause lasts as long as requested and is not a failure', () => {
    const tell = breaker.admit();
    breaker.pause(7_000);
    tell?.('paused');
    assert.equal(breaker.state(), 'open');
    now += 7_000;
    assert.equal(breaker.state(), 'closed');
  });

  test('a probe that meets a pause leaves room for another probe', () => {
    calls(10, 'failed');
    now += OPEN_MS_FIRST;
    const probe = breaker.admit();
    breaker.pause(5_000);
    probe?.('paused');
    now += 5_000;
    assert.notEqual(breaker.admit(), null);
  });

  describe('as the last resort', () => {
    test('a source that failed is probed early, every two seconds, and stays open no longer for it', () => {
      calls(10, 'failed');
      assert.equal(breaker.admit(true), null, 'it has only just failed');
      for (let probe = 0; probe < 5; probe += 1) {
        now += LAST_RESORT_MS;
        const tell = breaker.admit(true);
        assert.ok(tell !== null);
        assert.equal(breaker.admit(true), null, 'one at a time');
        tell('failed');
        assert.equal(breaker.admits(true), false);
      }
      now += OPEN_MS_FIRST - 5 * LAST_RESORT_MS;
      assert.equal(breaker.state(), 'half_open');
    });

    test('a successful probe closes it', () => {
      calls(10, 'failed');
      now += LAST_RESORT_MS;
      assert.equal(breaker.admits(false), false);
      breaker.admit(true)?.('ok');
      assert.equal(breaker.state(), 'closed');
      calls(3, 'ok');
    });

    test('a source that refused calls or asked for a pause is not probed early', () => {
      calls(3, 'shut');
      now += LAST_RESORT_MS;
      assert.equal(breaker.admit(true), null);
      now += OPEN_MS_FIRST;
      breaker.admit()?.('ok');
      breaker.pause(60_000);
      now += LAST_RESORT_MS;
      assert.equal(breaker.admit(true), null);
      now += 60_000;
      calls(10, 'failed');
      breaker.pause(20_000);
      now += LAST_RESORT_MS;
      assert.equal(breaker.admit(true), null);
      now += 20_000;
      breaker.admit(true)?.('shut');
      now += LAST_RESORT_MS;
      assert.equal(breaker.admit(true), null, 'the probe found the door shut');
    });
  });
});
