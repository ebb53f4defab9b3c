import { createSharedTools, type SharedTools } from '../../http/mcp/shared-tools.ts';
import { createSharedPages, type SharedPages } from '../../pages/shared/shared-pages.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createSealedValues } from '../../platform/store/shared/sealed-values.ts';
import { createSharedSources, type SharedSources } from '../../recall/upstream/shared-sources.ts';
import type { Config } from '../config.ts';
import type { Teardown } from '../teardown.ts';

/** What this process shares with others, for speed. */
export type Sharing = {
  pages: SharedPages;
  sources: SharedSources;
  tools: SharedTools;
  /** Drops everything that was read or found. */
  removeAll(): Promise<void>;
};

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
  const sources = createSharedSources(store, { sealed, clock });
  const pages = createSharedPages(store, sealed);
  const tools = createSharedTools(store, sealed);
  const removeAll = async (): Promise<void> => {
    await Promise.all([pages.removeAll(), sources.removeAll(), tools.removeAll()]);
  };
  return { pages, sources, tools, removeAll };
}
