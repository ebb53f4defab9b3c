import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.ts';
import type { SharedValues } from '../platform/store/shared/shared-values.ts';
import type { LocalSource } from '../recall/recall.ts';
import type { SearchAnswer, SearchRequest } from './search-types.ts';

/** The cache slot of one search: its fresh answer, if any, and how to store a new one. */
type CacheSlot = {
  answer: SearchAnswer | null;
  /** `read`: the pages that were opened for it, and when they were fetched. */
  keep(answer: SearchAnswer, read: ReadonlyMap<string, number>): void;
};

type CacheableRequest = Omit<SearchRequest, 'signal'> & Partial<Pick<SearchRequest, 'signal'>>;

/**
 * Caches answers by everything in the request that shapes them. An answer is dropped as soon as a source has changed in a way that may
 * change it.
 */
export type SearchCache = {
  look(request: CacheableRequest): Promise<CacheSlot>;
  /** Drops all answers. */
  clear(): void;
};

const FRESH_MS = 300_000;
/** Maximum characters of the results' JSON, which approximates the memory of the objects: some 3,000 answers. */
const CHARS_MAX = 16 * 1_048_576;

/** Creates a cache in memory, bounded in size; answers stay fresh for five minutes. */
export function createSearchCache(parts: {
  sources: Pick<LocalSource, 'version' | 'isUnaffected'>[];
  clock: Clock;
  /** The answers of other processes, with the names of source states that all of them share; absent or null: this process is alone. */
  shared?: SharedAnswers | null;
}): SearchCache {
  const { sources, shared = null } = parts;
  const answers = new LRUCache<string, CachedAnswer>({
    maxSize: CHARS_MAX,
    sizeCalculation: ({ answer }) => 1_000 + JSON.stringify(answer.results).length,
  });
  return {
    async look(request) {
      // The versions are read before the sources are asked, so that no answer is stored under a newer version than its own.
      const asked = sources.map((source) => source.version?.() ?? '');
      const versions = asked.every(isString) ? asked : await Promise.all(asked);
      const key = computeKey(request);
      const kept = answers.get(key);
      const fresh =
        kept !== undefined &&
        parts.clock.now() - kept.at <= FRESH_MS &&
        (hasPassed(kept, versions) || (await isCurrent(kept, versions, { sources, request })));
      const place = shared === null ? null : `${shared.stateOf(versions)} ${key}`;
      const found =
        fresh || place === null
          ? null
          : await findSharedAnswer(shared, { place, versions, signal: request.signal });
      const isFound = found !== null && (await isCurrent(found, versions, { sources, request }));
      // Once stored here, it is invalidated as precisely as an answer of this process.
      if (isFound) answers.set(key, found);
      return {
        answer: fresh ? kept.answer : isFound ? found.answer : null,
        keep(answer, read) {
          // A caller who sets how fresh pages must be does not want an answer from minutes ago.
          if (request.opening?.freshMs !== undefined) return;
          // An answer without one of its sources is not stored: the next caller should get another try.
          if (Object.values(answer.sources).some(({ ok }) => !ok)) return;
          const at = parts.clock.now();
          answers.set(key, { answer, read, versions, passed: versions, at });
          if (place !== null) void shared?.values.put(place, { answer, versions, at }, { ttlMs: FRESH_MS });
        },
      };
    },
    clear: () => answers.clear(),
  };
}

/** Answers that processes over one index share. */
export type SharedAnswers = {
  values: Pick<SharedValues, 'get' | 'put'>;
  /** Names the state that the sources must share for an answer of another process to be usable. */
  stateOf(versions: readonly string[]): string;
  /** Whether versions mean the same in every process; if not, an answer is only usable while nothing has changed since. */
  sharesVersions: boolean;
};

async function findSharedAnswer(
  shared: SharedAnswers | null,
  { place, versions, signal }: { place: string; versions: string[]; signal: AbortSignal | undefined },
): Promise<CachedAnswer | null> {
  const found = ((await shared?.values.get(place, signal)) ?? null) as Omit<
    CachedAnswer,
    'passed' | 'read'
  > | null;
  if (found === null || shared === null) return null;
  const since = shared.sharesVersions ? found.versions : versions;
  return { ...found, read: new Map(), versions: since, passed: since };
}

/** `versions`: those of the sources when they were asked; `passed`: the latest versions that are known not to affect the answer. */
type CachedAnswer = {
  answer: SearchAnswer;
  read: ReadonlyMap<string, number>;
  versions: string[];
  passed: string[];
  at: number;
};

async function isCurrent(
  kept: CachedAnswer,
  now: string[],
  { sources, request }: { sources: Pick<LocalSource, 'isUnaffected'>[]; request: CacheableRequest },
): Promise<boolean> {
  if (hasPassed(kept, now)) return true;
  const { query, additionalQueries = [], pageText } = request;
  const subject = {
    texts: [query, ...additionalQueries, ...(pageText?.include ?? [])],
    urls: new Set(kept.answer.results.map(({ url }) => url)),
    read: kept.read,
  };
  const unaffected = await Promise.all(
    sources.map((source, place) => {
      const [since = '', version = ''] = [kept.versions[place], now[place]];
      return since === version || (source.isUnaffected?.(since, version, subject) ?? false);
    }),
  );
  const isUnaffected = unaffected.every(Boolean);
  if (isUnaffected) kept.passed = now;
  return isUnaffected;
}

const isString = (version: string | Promise<string>): version is string => typeof version === 'string';

const hasPassed = ({ passed }: Pick<CachedAnswer, 'passed'>, now: readonly string[]): boolean =>
  passed.every((version, place) => version === now[place]);

function computeKey(request: CacheableRequest): string {
  const { signal: _, keep: _keep, ...shaping } = request as SearchRequest;
  return JSON.stringify(shaping);
}
