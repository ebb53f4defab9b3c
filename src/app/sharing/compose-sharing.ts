/**
 * Caches that several processes share in Redis or Valkey: pages, answers of sources, tools and searches.
 * They only save work: without the store, or without an answer from it, each process works on its own.
 */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { VERSION } from '../../contract/version.ts';
import { createSharedTools, type SharedTools } from '../../http/mcp/tool-calls.ts';
import type { IndexPlace } from '../../index/local-index-types.ts';
import { createSharedPages, type SharedPages } from '../../pages/shared/shared-pages.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createSealedValues } from '../../platform/store/shared/sealed-values.ts';
import { createSharedValues } from '../../platform/store/shared/shared-values.ts';
import { createSharedSources, type SharedSources } from '../../recall/upstream/shared-sources.ts';
import type { SharedAnswers } from '../../search/search-cache.ts';
import type { Config } from '../config.ts';
import type { Teardown } from '../teardown.ts';

/** The caches that this process shares with others. */
export type SharedCaches = {
  pages: SharedPages;
  sources: SharedSources;
  tools: SharedTools;
  /** Returns the shared search answers, for processes with the same index and the same search settings. */
  answersOver(index: IndexPlace, config: Pick<Config, 'inForce'>): SharedAnswers & { removeAll(): void };
  /** Removes everything that was read or found. */
  removeAll(): Promise<void>;
};

/** Opens the shared caches; null, without loading the client, if CACHE_URL is not set. */
export async function openSharedCaches(
  { cacheUrl, appSecret }: Pick<Config, 'cacheUrl' | 'appSecret'>,
  { clock, log, teardown }: { clock: Clock; log: Log; teardown: Teardown },
): Promise<SharedCaches | null> {
  if (cacheUrl === null) return null;
  const { openRedis } = await import('../../platform/store/shared/open-redis.ts');
  const store = await openRedis(cacheUrl, { clock, log });
  teardown.add(store.close);
  const sealed = createSealedValues(appSecret);
  const sources = createSharedSources(store, { sealed, clock });
  const pages = createSharedPages(store, sealed);
  const tools = createSharedTools(store, sealed);
  const answers = createSharedValues(store, sealed, 'search');
  const removeAll = async (): Promise<void> => {
    await Promise.all([pages.removeAll(), sources.removeAll(), tools.removeAll(), answers.removeAll()]);
  };
  return {
    pages,
    sources,
    tools,
    removeAll,
    answersOver(index, { inForce }) {
      const same = JSON.stringify([
        VERSION,
        identifyIndex(index),
        inForce.filter(({ name }) => OF_SEARCHES.test(name)),
      ]);
      return {
        values: answers,
        // Versions of a cluster hold for every process; of the version of a file, the part after the slash concerns one process alone.
        ...(index.engine === 'opensearch'
          ? { sharesVersions: true, stateOf: () => same }
          : {
              sharesVersions: false,
              stateOf: (versions) =>
                JSON.stringify([same, ...versions.map((version) => version.split('/', 1)[0])]),
            }),
        removeAll: () => void answers.removeAll(),
      };
    },
  };
}

/** Settings that change what a search finds. */
const OF_SEARCHES =
  /^(?:RECALL|RERANK_\w+|EMBEDDING_\w+|VECTOR_RECALL|ANSWER_CONFIDENCE|ACCEPT_PROVIDER_TERMS|\w+_API_KEY|(?:SEARXNG|WIKIPEDIA)_URL)$/;

/** Identifies the index. Other machines may have another file at the same path. */
function identifyIndex({ engine, at }: IndexPlace): string {
  if (engine !== 'sqlite') return `${engine} ${at}`;
  const { dev, ino } = statSync(at);
  return `${hostname()} ${dev} ${ino}`;
}
