import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSealedValues } from '../../platform/store/shared/sealed-values.ts';
import type { SharedStore } from '../../platform/store/shared/shared-values.ts';
import { createSharedSources } from './shared-sources.ts';

describe('the rate of a source, while the processes cannot count together', () => {
  const start = () => {
    let reply: { value: unknown } | null = null;
    const clock = { at: 0, now: (): number => clock.at };
    const store: SharedStore = {
      run: async () => reply,
      publish() {},
      listen() {},
      isUp: () => false,
      close: async () => {},
    };
    return {
      clock,
      sources: createSharedSources(store, { sealed: createSealedValues(null), clock }),
      answer(value: unknown) {
        reply = value === null ? null : { value };
      },
    };
  };
  const rate = { calls: 6, perMs: 1_000 };
  const begun = async (sources: ReturnType<typeof createSharedSources>, calls: number): Promise<number> => {
    let may = 0;
    for (let call = 0; call < calls; call += 1) if ((await sources.take('web', rate)).mayBegin) may += 1;
    return may;
  };

  test('is its whole to a process that has seen no other', async () => {
    const { sources } = start();
    assert.equal(await begun(sources, 9), 6);
  });

  test('is divided by the processes that were seen last', async () => {
    const { sources, answer, clock } = start();
    answer([1, 0, 3]);
    await sources.take('web', rate);
    answer(null);
    assert.equal(await begun(sources, 9), 2);
    clock.at += 1_000;
    assert.equal(await begun(sources, 9), 2);
  });

  test('is what the store says while it answers; garbage is no answer', async () => {
    const { sources, answer } = start();
    answer([0, 700, 2]);
    assert.deepEqual(await sources.take('web', rate), { mayBegin: false, pausedMs: 700 });
    answer('garbage');
    assert.deepEqual(await sources.take('web', rate), { mayBegin: true, pausedMs: 0 });
  });
});
