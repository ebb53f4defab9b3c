import { setTimeout } from 'node:timers/promises';
import type { GuardedFetch } from '../../../platform/net/fetch-types.ts';
import type { Collection } from './collection-types.ts';
import { COMMON_CRAWL, type CommonCrawlPlaces, openCommonCrawl } from './common-crawl.ts';
import { openLocalFiles } from './local-files.ts';
import { openRemoteFiles } from './remote-files.ts';

/** Opens the source of an import: a path, an address, or `commoncrawl:` and a domain. Rejects with the reason if nothing can be read. */
export type OpenCollection = (
  path: string,
  baseUrl: string | null,
  signal: AbortSignal,
) => Promise<Collection>;

type OpenDeps = {
  fetch: GuardedFetch;
  /** Replaced by tests, which wait less and use their own Common Crawl. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  places?: CommonCrawlPlaces;
};

const wait = async (ms: number, signal: AbortSignal): Promise<void> =>
  void (await setTimeout(ms, undefined, { signal }));

export function createOpenCollection({
  fetch,
  pause = wait,
  places = COMMON_CRAWL,
}: OpenDeps): OpenCollection {
  return (path, baseUrl, signal) => {
    const deps = { fetch, pause, signal };
    const domain = /^commoncrawl:(.+)$/.exec(path)?.[1];
    if (domain !== undefined) return openCommonCrawl(domain, { ...deps, places });
    return /^https?:\/\//i.test(path) ? openRemoteFiles(path, deps) : openLocalFiles(path, baseUrl);
  };
}
