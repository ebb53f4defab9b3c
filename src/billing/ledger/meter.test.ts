import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  fails,
  failsWith,
  inTime,
  never,
  type Script,
  scriptedMeter,
} from '../../../test/fixtures/unit-tests/scripted-meter.ts';
import type { HoldResult } from './charge-procedures.ts';
import type { Charge } from './meter.ts';

const { asked, meterOver, chargeOver, chargesOver, drain } = scriptedMeter();

/** The ledger's reply to a hold of 3 that leaves 9, and to one that it refuses. */
const placed = async (): Promise<HoldResult> => ({ amount: 3, available: 9, disputed: 0, purchase: null });
const refused = async (): Promise<HoldResult> => ({ amount: 0, available: 0, disputed: 0, purchase: null });

describe('a hold', () => {
  test('that is not answered in time fails the call, and is undone once it exists', async () => {
    const holding = Promise.withResolvers<HoldResult>();
    const charge = await chargeOver({ hold: [() => holding.promise], refund: [async () => 0] });
    await inTime(async () => {
      await assert.rejects(charge.hold({ credits: 1, ms: 0 }), failsWith('overloaded'));
      await charge.refund();
      assert.deepEqual(asked, ['hold']);
      holding.resolve(await placed());
      await drain();
    });
    assert.deepEqual(asked, ['hold', 'refund']);
  });

  test('whose reply is lost is undone', async () => {
    const charge = await chargeOver({ hold: [fails], refund: [async () => 0] });
    await assert.rejects(charge.hold({ credits: 1, ms: 0 }), failsWith('overloaded'));
    await charge.refund();
    assert.deepEqual(asked, ['hold', 'refund']);
  });

  test('takes at least one whole credit, once', async () => {
    const charge = await chargeOver({ hold: [placed] });
    await assert.rejects(charge.hold({ credits: 0, ms: 0 }), /at least one whole credit/);
    await charge.hold({ credits: 1, ms: 0 });
    await assert.rejects(charge.hold({ credits: 1, ms: 0 }), /holds credits once/);
    assert.deepEqual(asked, ['hold']);
  });

  test('that was refused leaves nothing to undo', async () => {
    const charge = await chargeOver({ hold: [refused] });
    await assert.rejects(charge.hold({ credits: 1, ms: 0 }), failsWith('insufficient_credits'));
    await charge.refund();
    assert.deepEqual(asked, ['hold']);
  });
});

describe('a partial hold', () => {
  test('returns its size, and no more can be used', async () => {
    const charge = await chargeOver({
      hold: [async () => ({ available: 0, amount: 4, disputed: 0, purchase: null })],
      settle: [async () => ({ available: 1, purchase: null })],
    });
    assert.equal(await charge.hold({ credits: 50, least: 1, ms: 0 }), 4);
    await assert.rejects(charge.settle(5), /no more than it held/);
    await charge.settle(3);
    assert.equal(await charge.remaining(), 1);
  });

  test('that is refunded returns what was held, not what was wanted', async () => {
    const charge = await chargeOver({
      hold: [async () => ({ available: 0, amount: 4, disputed: 0, purchase: null })],
      refund: [async () => 4],
    });
    await charge.hold({ credits: 50, least: 1, ms: 0 });
    await charge.refund();
    assert.equal(await charge.remaining(), 4);
  });

  test('is refused if the key has no credits', async () => {
    const charge = await chargeOver({ hold: [refused] });
    await assert.rejects(charge.hold({ credits: 50, least: 1, ms: 0 }), failsWith('insufficient_credits'));
    await charge.refund();
    assert.deepEqual(asked, ['hold']);
  });

  test('whose reply is lost is undone', async () => {
    const charge = await chargeOver({ hold: [fails], refund: [async () => 0] });
    await assert.rejects(charge.hold({ credits: 50, least: 1, ms: 0 }), failsWith('overloaded'));
    await charge.refund();
    assert.deepEqual(asked, ['hold', 'refund']);
  });
});

describe('a settlement', () => {
  const hold = [placed];
  const settled = async (script: Script, used: number): Promise<Charge> => {
    const charge = await chargeOver({ hold, ...script });
    await inTime(async () => {
      await charge.hold({ credits: 3, ms: 0 });
      await charge.settle(used);
    });
    return charge;
  };

  test('that fails is retried once', async () => {
    const charge = await settled({ settle: [fails, async () => ({ available: 10, purchase: null })] }, 2);
    assert.deepEqual(asked, ['hold', 'settle', 'settle']);
    assert.equal(await charge.remaining(), 10);
  });

  test('whose reply was lost succeeds if the ledger has it', async () => {
    const script: Script = {
      settle: [never, async () => null],
      holdState: [async () => ({ state: 'captured', used: 2 })],
      available: [async () => 10],
    };
    assert.equal(await (await settled(script, 2)).remaining(), 10);
  });

  test('of nothing succeeds for a hold that has expired', async () => {
    const script: Script = {
      settle: [async () => null],
      holdState: [async () => ({ state: 'voided', used: 0 })],
      available: [async () => 12],
    };
    assert.equal(await (await settled(script, 0)).remaining(), 12);
  });

  for (const [name, state] of [
    ['that expired meanwhile', { state: 'voided', used: 0 }],
    ['that was charged another amount', { state: 'captured', used: 1 }],
    ['that was refunded', { state: 'refunded', used: 2 }],
    ['that does not exist', null],
  ] as const) {
    test(`of a hold ${name} fails at once`, async () => {
      const script: Script = { settle: [async () => null], holdState: [async () => state] };
      await assert.rejects(settled(script, 2), failsWith('overloaded'));
      assert.deepEqual(asked.slice(0, 3), ['hold', 'settle', 'holdState']);
    });
  }

  test('that fails twice fails the call, which is then refunded', async () => {
    const charge = await chargeOver({ hold, settle: [fails], refund: [async () => 2] });
    await charge.hold({ credits: 3, ms: 0 });
    await assert.rejects(charge.settle(2), failsWith('overloaded'));
    await charge.refund();
    assert.deepEqual(asked, ['hold', 'settle', 'settle', 'refund']);
    assert.equal(await charge.remaining(), 12);
  });

  test('charges a whole number of credits, at most those held', async () => {
    await assert.rejects(
      settled({ settle: [async () => ({ available: 9, purchase: null })] }, 4),
      /no more than it held/,
    );
    for (const used of [-1, 0.5])
      await assert.rejects(
        settled({ settle: [async () => ({ available: 9, purchase: null })] }, used),
        /a whole number of credits/,
      );
  });
});

test('a key that was just refused is refused again without asking, but not for what it has', async () => {
  const refusal = async (): Promise<HoldResult> => ({ amount: 0, available: 2, disputed: 0, purchase: null });
  const [first, second, third] = await chargesOver({ hold: [refusal, placed] }, 3);
  await assert.rejects(
    first?.hold({ credits: 3, ms: 0 }) ?? assert.fail(),
    failsWith('insufficient_credits'),
  );
  await assert.rejects(
    second?.hold({ credits: 3, ms: 0 }) ?? assert.fail(),
    failsWith('insufficient_credits'),
  );
  assert.equal(await second?.remaining(), 2);
  assert.throws(() => third?.refuseIfKnown(3), failsWith('insufficient_credits'));
  third?.refuseIfKnown(2);
  await second?.refund();
  assert.deepEqual(asked, ['hold']);
  await third?.hold({ credits: 2, ms: 0 });
  assert.deepEqual(asked, ['hold', 'hold']);
});

describe('a refund', () => {
  test('counts once', async () => {
    const charge = await chargeOver({ hold: [placed], refund: [async () => 0] });
    await charge.hold({ credits: 3, ms: 0 });
    await Promise.all([charge.refund(), charge.refund()]);
    await charge.refund();
    assert.deepEqual(asked, ['hold', 'refund']);
    assert.equal(await charge.remaining(), 12);
  });

  test('without a hold does nothing', async () => {
    await (await chargeOver({})).refund();
    assert.deepEqual(asked, []);
  });

  test('is retried until it succeeds, but the caller waits only for the usual time', async () => {
    const refund = [fails, fails, fails, fails, fails, async () => 0];
    const charge = await chargeOver({ hold: [placed], refund });
    await inTime(async () => {
      await charge.hold({ credits: 3, ms: 0 });
      await charge.refund();
      assert.ok(asked.filter((name) => name === 'refund').length < 6);
      await drain();
    });
    assert.equal(asked.filter((name) => name === 'refund').length, 6);
  });

  test('is left to the expiry of the hold after the last try', async () => {
    const charge = await chargeOver({ hold: [placed], refund: [fails] });
    await inTime(async () => {
      await charge.hold({ credits: 3, ms: 0 });
      await charge.refund();
      await drain();
    });
    assert.equal(asked.filter((name) => name === 'refund').length, 6);
  });
});

test('a keyless call that cannot be counted in time is refused', async () => {
  const { meter, close } = meterOver({});
  await inTime(() =>
    assert.rejects(
      meter.beginCharge({ kind: 'keyless', address: '203.0.113.9' }, 'request'),
      failsWith('overloaded'),
    ),
  );
  close();
});
