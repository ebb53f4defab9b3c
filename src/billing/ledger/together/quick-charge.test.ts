import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  fails,
  failsWith,
  inTime,
  type Script,
  scriptedMeter,
} from '../../../../test/fixtures/unit-tests/scripted-meter.ts';
import type { Charged } from '../charge-procedures.ts';
import type { QuickCharge } from './quick-charge.ts';

const { asked, meterOver, drain } = scriptedMeter();

function chargeOver(script: Script): QuickCharge {
  const { meter, close } = meterOver(script);
  const charge = meter.beginAtOnce({ kind: 'key', keyId: 'key' }, 'request 1');
  close();
  assert.ok(charge !== null);
  return charge;
}

const outcomeOf = (charge: QuickCharge, credits: number): Promise<unknown> =>
  new Promise((resolve) => charge.charge(credits, resolve));

describe('a quick charge', () => {
  const charged = async (): Promise<Charged> => ({ charged: 3, available: 9, purchase: null });
  const refusal = async (): Promise<Charged> => ({ charged: 0, available: 2, purchase: null });

  test('asks the ledger once, and is done when it has answered', async () => {
    const answer = Promise.withResolvers<Charged>();
    const charge = chargeOver({ charge: [() => answer.promise] });
    let isDone = false;
    const outcome = outcomeOf(charge, 3).then((problem) => {
      isDone = true;
      return problem;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isDone, false);
    answer.resolve(await charged());
    assert.equal(await outcome, null);
    assert.equal(charge.left, 9);
    assert.deepEqual(asked, ['charge']);
  });

  test('that is refused knows what is left, and the next one of the key is refused unasked', async () => {
    const { meter, close } = meterOver({ charge: [refusal] });
    const [first, second] = [1, 2].map((call) =>
      meter.beginAtOnce({ kind: 'key', keyId: 'key' }, `request ${call}`),
    );
    close();
    assert.ok(first && second);
    assert.ok(failsWith('insufficient_credits')(await outcomeOf(first, 3)));
    assert.equal(first.left, 2);
    await first.refund();
    assert.throws(() => second.refuseIfKnown(3), failsWith('insufficient_credits'));
    assert.throws(() => second.charge(3, () => assert.fail('done')), failsWith('insufficient_credits'));
    assert.equal(second.left, 2);
    assert.deepEqual(asked, ['charge']);
  });

  test('is refunded once', async () => {
    const charge = chargeOver({ charge: [charged], refund: [async () => 3] });
    assert.equal(await outcomeOf(charge, 3), null);
    await Promise.all([charge.refund(), charge.refund()]);
    assert.equal(charge.left, 12);
    assert.deepEqual(asked, ['charge', 'refund']);
  });

  test('whose reply is lost is asked for again', async () => {
    const charge = chargeOver({ charge: [fails, charged] });
    assert.equal(await outcomeOf(charge, 3), null);
    assert.equal(charge.left, 9);
    assert.deepEqual(asked, ['charge', 'charge']);
  });

  test('whose replies are all lost is cancelled, because it may still be made', async () => {
    const charge = chargeOver({ charge: [fails], cancel: [async () => 0] });
    assert.ok(failsWith('overloaded')(await outcomeOf(charge, 3)));
    await charge.refund();
    assert.deepEqual(asked, ['charge', 'charge', 'charge', 'cancel']);
  });

  test('that is not answered in time is cancelled once the first reply is in too', async () => {
    const late = Promise.withResolvers<Charged>();
    const charge = chargeOver({ charge: [() => late.promise, fails], cancel: [async () => 3] });
    await inTime(async () => {
      assert.ok(failsWith('overloaded')(await outcomeOf(charge, 3)));
      await charge.refund();
      assert.deepEqual([...new Set(asked)], ['charge']);
      late.resolve(await charged());
      await drain();
    });
    assert.equal(asked.at(-1), 'cancel');
    assert.equal(charge.left, null);
  });

  test('that is answered late, but in time for the second question, is done once', async () => {
    const first = Promise.withResolvers<Charged>();
    const charge = chargeOver({ charge: [() => first.promise, charged] });
    let times = 0;
    await inTime(async () => {
      const problem = await new Promise((resolve) =>
        charge.charge(3, (outcome) => {
          times += 1;
          resolve(outcome);
        }),
      );
      assert.equal(problem, null);
      first.resolve(await charged());
      await drain();
    });
    assert.equal(times, 1);
    assert.deepEqual(asked, ['charge', 'charge']);
  });

  test('is only begun for a key whose calls are not counted', () => {
    const { meter, close } = meterOver({});
    const limits = { perMinute: 5, perDay: null };
    assert.equal(meter.beginAtOnce({ kind: 'key', keyId: 'key', limits }, 'request 1'), null);
    assert.equal(meter.beginAtOnce({ kind: 'keyless', address: '203.0.113.9' }, 'request 2'), null);
    close();
  });
});
