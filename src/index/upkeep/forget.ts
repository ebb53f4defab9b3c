import type { LocalIndex, PageSelector } from '../local-index-types.ts';
import type { Forgettings } from './forgettings.ts';
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
