import type { Config } from '../app/config.ts';
import { ledgerStorePlace, openLedgerStoreOf } from '../app/open-ledger-store.ts';
import { ledgerStoreServer } from '../platform/store/ledger/open-ledger-store.ts';
import { failure, ok, type Verdict, warning } from './check-result.ts';

/** Checks whether the ledger can be opened, and names its store. Opening it migrates its tables. */
export async function checkLedgerStore(config: Config): Promise<Verdict> {
  const ledgerStore = await openLedgerStoreOf(config).catch((error: Error) => error);
  if (ledgerStore instanceof Error) return failure(ledgerStore.message);
  try {
    const { name, weakness } = await ledgerStoreServer(ledgerStore);
    const text = `${name}, ${ledgerStorePlace(config)}`;
    return weakness === null ? ok(`${text}, up to date`) : warning(`${text}: ${weakness}`);
  } finally {
    await ledgerStore.close();
  }
}
