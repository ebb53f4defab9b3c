import { Failure, StoreUnavailable } from '../../contract/errors.ts';

/** How long a call waits for the ledger store; a later write is undone. */
const LEDGER_MS = 3_000;
/** How long a call waits for each further reply after a late one. */
const AFTER_LATE_MS = 250;

/** Awaits work on the ledger store; throws `StoreUnavailable` when it fails or does not finish in time. */
export type WithinLedgerTime = <T>(work: Promise<T>) => Promise<T>;

/** The time limits of one call: after one late reply from the ledger store, the call waits only briefly. */
export function createLedgerPatience(): WithinLedgerTime {
  let ms = LEDGER_MS;
  return async (work) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      ms = AFTER_LATE_MS;
      late.reject(
        new StoreUnavailable('The account database did not answer in time; try again in a moment.'),
      );
    }, ms);
    try {
      return await Promise.race([work, late.promise]);
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw new StoreUnavailable('The account database cannot be reached; try again in a moment.', { cause });
    } finally {
      clearTimeout(timer);
    }
  };
}
