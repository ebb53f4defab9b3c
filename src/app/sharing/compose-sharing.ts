import { createSharedPages, type SharedPages } from '../../pages/shared/shared-pages.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createSealedValues, type SealedValues } from '../../platform/store/shared/sealed-values.ts';
import type { SharedStore } from '../../platform/store/shared/shared-store.ts';
import type { Config } from '../config.ts';
import type { Teardown } from '../teardown.ts';

/** What this process shares with others, for speed. */
export type Sharing = { store: SharedStore; sealed: SealedValues; pages: SharedPages };

/** Null where the operator has set up nothing to share; the client is then not even loaded. */
export async function openSharing(
  { cacheUrl, appSecret }: Pick<Config, 'cacheUrl' | 'appSecret'>,
  { clock, log, teardown }: { clock: Clock; log: Log; teardown: Teardown },
): Promise<Sharing | null> {
  if (cacheUrl === null) return null;
  const { openRedis } = await import('../../platform/store/shared/open-redis.ts');
  const store = await openRedis(cacheUrl, { clock, log });
  teardown.add(store.close);
  const sealed = createSealedValues(appSecret);
  return { store, sealed, pages: createSharedPages(store, sealed) };
}
