import { Failure, StoreUnavailable } from '../../contract/errors.ts';

/** How long a call waits for the books; an answer that comes later is undone. */
const BOOKS_MS = 3_000;
/** How long it waits for each further answer once the books were late. */
const AFTER_LATE_MS = 250;

/** Waits for the books, and throws `StoreUnavailable` when they fail or do not answer in time. */
export type WithinLedgerTime = <T>(work: Promise<T>) => Promise<T>;

/** One call's patience: books that were late once are not waited for at length again. */
export function createLedgerPatience(): WithinLedgerTime {
  let ms = BOOKS_MS;
  return async (work) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      ms = AFTER_LATE_MS;
      late.reject(new StoreUnavailable('The accounts do not answer in time; try again in a moment.'));
    }, ms);
    try {
      return await Promise.race([work, late.promise]);
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw new StoreUnavailable('The accounts cannot be reached; try again in a moment.', { cause });
    } finally {
      clearTimeout(timer);
    }
  };
}
