import { sql } from 'kysely';
import { probeWrite } from '../billing/ledger/allowance.ts';
import { cachedFor } from '../platform/cached-for.ts';
import { probeFolder } from '../platform/store/private-files.ts';
import type { Composition } from './compose.ts';

/** However often it is asked for, the disk and the books are written to once in this time. */
const FRESH_MS = 5_000;

/** Rejects when the store does not answer or takes no writes: proved by writing, because a full disk can still be read. */
export function createReadiness(
  parts: Pick<Composition, 'config' | 'store' | 'ledgerStore' | 'clock'>,
): () => Promise<void> {
  const { config, store, ledgerStore, clock } = parts;
  return cachedFor(FRESH_MS, clock, async () => {
    await Promise.all([
      sql`select 1`.execute(store),
      probeFolder(config.dataDir),
      ledgerStore.run(probeWrite, null),
    ]);
  });
}
