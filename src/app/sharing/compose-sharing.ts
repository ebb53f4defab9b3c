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

/** What this process shares with others, for speed. */
export type SharedCaches = {
  pages: SharedPages;
  sources: SharedSources;
  tools: SharedTools;
  /** Answers of searches, for processes with the same index and the same settings of searches. */
  answersOver(index: IndexPlace, config: Pick<Config, 'inForce'>): SharedAnswers & { removeAll(): void };
  /** Drops everything that was read or found. */
  removeAll(): Promise<void>;
};

/** Null where the operator has set up nothing to share; the client is then not even loaded. */
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
        // A cluster tells every process what has changed since; what follows the counter of a file is about one process alone.
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

/** Other machines may have another file at the same path. */
function identifyIndex({ engine, at }: IndexPlace): string {
  if (engine !== 'sqlite') return `${engine} ${at}`;
  const { dev, ino } = statSync(at);
  return `${hostname()} ${dev} ${ino}`;
}
