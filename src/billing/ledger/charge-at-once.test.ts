import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fails, failsWith, inTime, scriptedMeter } from '../../../test/fixtures/unit-tests/scripted-meter.ts';
import type { Charged } from './charge-procedures.ts';

const { asked, chargeOver, drain } = scriptedMeter();

describe('a charge at once', () => {
  const charged = async (): Promise<Charged> => ({ charged: 3, available: 9, purchase: null });
  const refusal = async (): Promise<Charged> => ({ charged: 0, available: 2, purchase: null });

  test('asks the ledger once, and knows what is left', async () => {
    const charge = await chargeOver({ charge: [charged] });
    await charge.charge(3);
    assert.equal(await charge.remaining(), 9);
    assert.deepEqual(asked, ['charge']);
  });

  test('that is refused knows what is left, and leaves nothing to undo', async () => {
    const charge = await chargeOver({ charge: [refusal] });
    await assert.rejects(charge.charge(3), failsWith('insufficient_credits'));
    await charge.refund();
    assert.equal(await charge.remaining(), 2);
    assert.deepEqual(asked, ['charge']);
  });

  test('is refunded when its response is not sent', async () => {
    const charge = await chargeOver({ charge: [charged], refund: [async () => 3] });
    await charge.charge(3);
    await Promise.all([charge.refund(), charge.refund()]);
    assert.equal(await charge.remaining(), 12);
    assert.deepEqual(asked, ['charge', 'refund']);
  });

  test('whose reply is lost is asked for again', async () => {
    const charge = await chargeOver({ charge: [fails, charged], refund: [async () => 3] });
    await charge.charge(3);
    await charge.refund();
    assert.deepEqual(asked, ['charge', 'charge', 'refund']);
  });

  test('whose replies are all lost is cancelled, because it may still be made', async () => {
    const charge = await chargeOver({ charge: [fails], cancel: [async () => 0] });
    await assert.rejects(charge.charge(3), failsWith('overloaded'));
    await charge.refund();
    assert.deepEqual(asked, ['charge', 'charge', 'cancel']);
  });

  test('that is not answered in time is cancelled once all replies are in', async () => {
    const late = Promise.withResolvers<Charged>();
    const charge = await chargeOver({ charge: [() => late.promise], cancel: [async () => 3] });
    await inTime(async () => {
      await assert.rejects(charge.charge(3), failsWith('overloaded'));
      await charge.refund();
      assert.deepEqual(asked, ['charge', 'charge']);
      late.resolve(await charged());
      await drain();
    });
    assert.deepEqual(asked, ['charge', 'charge', 'cancel']);
  });

  test('takes at least one whole credit, once', async () => {
    const charge = await chargeOver({ charge: [charged] });
    await assert.rejects(charge.charge(0), /at least one whole credit/);
    await charge.charge(3);
    await assert.rejects(charge.charge(3), /holds credits once/);
  });
});
