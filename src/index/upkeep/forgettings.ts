import type { LocalIndex } from '../local-index-types.ts';

/** Notifies caches of texts when pages were forgotten, by this process or another on the same data. */
export type Forgettings = {
  /** Registers a callback that runs whenever something was forgotten, before `notice` resolves. */
  onForgotten(drop: () => void): void;
  /**
   * Checks whether something was forgotten since the last check. Must be called before cached texts are used. Returns the epoch of the
   * index, without a promise where it can be read at once.
   */
  notice(): number | Promise<number>;
};

/** The epoch while the index does not answer: everything counts as forgotten. */
const UNKNOWN = -1;

export function createForgettings(index: Pick<LocalIndex, 'epoch'>): Forgettings {
  const drops: (() => void)[] = [];
  let known: number | null = null;
  const checkEpoch = (epoch: number): number => {
    if (epoch !== known) for (const drop of drops) drop();
    known = epoch;
    return epoch;
  };
  return {
    onForgotten(drop) {
      drops.push(drop);
    },
    notice() {
      const epoch = index.epoch();
      return typeof epoch === 'number' ? checkEpoch(epoch) : epoch.catch(() => UNKNOWN).then(checkEpoch);
    },
  };
}
