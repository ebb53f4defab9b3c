import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Billing } from '../../src/app/compose-billing.ts';
import { ask, assertSound, keptBy, readKept } from './ledger-store-under-test.ts';
import { AT_ONCE_MAX, linearize } from './linearize.ts';
import { carryOut, type Operation, type ReferenceLedger } from './reference-ledger.ts';

/** The reference, with the run's name, the number of the last hold and the time. */
export type Model = { run: string; reference: ReferenceLedger; lastHold: number; now: number };
export type Real = Billing;

/** An operation with random numbers; the keys and holds they select depend on the model's state when it runs. */
type Draw = (model: Model) => Operation | null;

const key = fc.nat({ max: 2 });
const some = fc.nat({ max: 1_000 });

const holding: fc.Arbitrary<Draw> = fc
  .record({
    kind: fc.constantFrom('hold', 'hold', 'holdUpTo'),
    key,
    amount: fc.integer({ min: 1, max: 9 }),
    ms: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ kind, key, amount, ms }) => (model) => {
    model.lastHold += 1;
    return { kind, id: nameOf(model), keyId: keyOf(model, key), amount, expiresAt: model.now + ms };
  });

/** Settles any hold in any state, since one that has ended must not end again. The share used ranges from none to all. */
const settling: fc.Arbitrary<Draw> = fc
  .record({ some, share: fc.constantFrom(0, 0.3, 0.7, 1) })
  .map(({ some, share }) => (model) => {
    const [id, hold] = pick(model, some) ?? [null, null];
    return id === null ? null : { kind: 'settle', id, used: Math.round(hold.amount * share), at: model.now };
  });

const refunding: fc.Arbitrary<Draw> = some.map((some) => (model) => {
  const [id] = pick(model, some) ?? [null];
  return id === null ? null : { kind: 'refund', id, at: model.now };
});

/** Few references, so that many recur, some on another key. */
const granting: fc.Arbitrary<Draw> = fc
  .record({ key, credits: fc.integer({ min: 1, max: 30 }), ref: fc.nat({ max: 2 }) })
  .map(({ key, credits, ref }) => (model) => ({
    kind: 'grant',
    keyId: keyOf(model, key),
    credits,
    ref: `${model.run} grant ${ref}`,
  }));

const expiring: fc.Arbitrary<Draw> = fc.integer({ min: 0, max: 60 }).map((ms) => (model) => {
  model.now += ms;
  return { kind: 'expire', now: model.now };
});

const revoking: fc.Arbitrary<Draw> = key.map((key) => (model) => ({
  kind: 'revoke',
  keyId: keyOf(model, key),
}));

/**
 * Single operations, and up to five at once. Expiry is not atomic (it settles each hold with 0 separately), so concurrent
 * operations include settlements with 0 instead.
 */
export const ledgerCommands: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] = [
  ...[holding, holding, settling, settling, refunding, expiring].map((draw) =>
    draw.map((one) => new Concurrently([one])),
  ),
  ...[granting, revoking].map((draw) => draw.map((one) => new Concurrently([one]))),
  fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: holding },
        { weight: 5, arbitrary: settling },
        { weight: 2, arbitrary: refunding },
        { weight: 1, arbitrary: granting },
      ),
      { minLength: 2, maxLength: AT_ONCE_MAX },
    )
    .map((draws) => new Concurrently(draws)),
];

/** Runs operations concurrently; some order of them on the reference must explain the results and the stored state. */
class Concurrently implements fc.AsyncCommand<Model, Real> {
  readonly #draws: Draw[];
  #transcript = '';

  constructor(draws: Draw[]) {
    this.#draws = draws;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const asked = this.#draws.map((draw) => draw(model)).filter((operation) => operation !== null);
    const ran = await Promise.all(
      asked.map(async (operation) => ({
        asked: operation,
        answered: await ask(real, operation).catch(String),
      })),
    );
    this.#transcript = ran
      .map(({ asked, answered }) => `${JSON.stringify(asked)} -> ${JSON.stringify(answered)}`)
      .join(' | ');
    const kept = await readKept(real, [...model.reference.accounts.keys()]);
    assertSound(kept);
    const [only] = ran;
    if (ran.length === 1 && only !== undefined) {
      assert.deepEqual(only.answered, carryOut(model.reference, only.asked), this.#transcript);
      assert.deepEqual(kept, keptBy(model.reference), this.#transcript);
      return;
    }
    const seen = JSON.stringify(kept);
    const after = linearize(model.reference, ran, (reached) => JSON.stringify(keptBy(reached)) === seen);
    assert.ok(after !== null, `no order explains the result: ${this.#transcript}\n${seen}`);
    model.reference = after;
  }

  toString(): string {
    return `[${this.#transcript}]`;
  }
}

function nameOf({ run, lastHold }: Model): string {
  return `${run} hold ${String(lastHold).padStart(3, '0')}`;
}

function keyOf({ reference }: Model, place: number): string {
  const keyIds = [...reference.accounts.keys()];
  return keyIds[place % keyIds.length] ?? assert.fail('no keys');
}

function pick({ reference }: Model, place: number) {
  const holds = [...reference.holds];
  return holds[place % holds.length];
}
