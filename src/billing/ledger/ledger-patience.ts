import { Failure, StoreUnavailable } from '../../contract/errors.ts';

/** How long a call waits for the ledger store; a later write is undone. */
const LEDGER_MS = 10_000;
/** How long a call waits for each further reply after a late one. */
const AFTER_LATE_MS = 250;

/** Awaits work on the ledger store; throws `StoreUnavailable` when it fails or does not finish in time. */
export type LedgerTimeout = <T>(work: Promise<T>) => Promise<T>;

/** The time limits of one call: after one late reply from the ledger store, the call waits only briefly. */
export function createLedgerTimeout(): LedgerTimeout {
  let ms = LEDGER_MS;
  return (work) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        ms = AFTER_LATE_MS;
        reject(new StoreUnavailable('The account database did not answer in time; try again in a moment.'));
      }, ms);
      const fail = (cause: unknown): void => {
        clearTimeout(timer);
        reject(cause instanceof Failure ? cause : createUnreachableFailure(cause));
      };
      work.then((value) => {
        clearTimeout(timer);
        resolve(value);
      }, fail);
    });
}

function createUnreachableFailure(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The account database cannot be reached; try again in a moment.', { cause });
}
