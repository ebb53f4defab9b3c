import type { LocalIndex } from '../local-index-types.ts';

/** Tells what keeps texts in memory when something was forgotten, by this process or another on the same data. */
export type Forgettings = {
  /** Called whenever something was forgotten, before `notice` resolves. */
  onForgotten(drop: () => void): void;
  /**
   * Looks whether something was forgotten since the last look. To be called before kept texts are used; gives the state of the index, without a
   * promise where that can be read at once.
   */
  notice(): number | Promise<number>;
};

/** While the index does not answer, everything counts as forgotten. */
const UNKNOWN = -1;

export function createForgettings(index: Pick<LocalIndex, 'epoch'>): Forgettings {
  const drops: (() => void)[] = [];
  let known: number | null = null;
  const look = (epoch: number): number => {
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
      return typeof epoch === 'number' ? look(epoch) : epoch.catch(() => UNKNOWN).then(look);
    },
  };
}
