import type { LocalIndex, PageSelector } from '../local-index-types.ts';
import { createSelectorMatcher } from './page-selector.ts';

/** Counts of what was deleted: pages of the index, copies in the page cache, addresses in the frontiers of crawls. */
type ForgetCounts = { pages: number; copies: number; addresses: number };

/**
 * Deletes pages and every copy of them, in this process and in others on the same data. The pages may be read again later.
 * Idempotent.
 */
export type Forget = (selector: PageSelector) => Promise<ForgetCounts>;

type Remove = (isForgotten: (address: string) => boolean) => Promise<number>;

/** The index comes last: its epoch tells every process to drop what it keeps. */
export function createForget(parts: {
  index: Pick<LocalIndex, 'forget'>;
  forgettings: Pick<Forgettings, 'notice'>;
  removeCopies: Remove;
  removeAddresses: Remove;
}): Forget {
  return async (selector) => {
    const isForgotten = createSelectorMatcher(selector);
    const copies = await parts.removeCopies(isForgotten);
    const addresses = await parts.removeAddresses(isForgotten);
    const pages = await parts.index.forget(selector);
    await parts.forgettings.notice();
    return { pages, copies, addresses };
  };
}

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
