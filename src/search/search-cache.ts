import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.ts';
import type { SharedValues } from '../platform/store/shared/shared-values.ts';
import type { LocalSource } from '../recall/recall.ts';
import type { SearchAnswer, SearchRequest } from './search-types.ts';

/** The cache entry of one search: its fresh answer, if any, and how to store a new one. */
type Place = {
  answer: SearchAnswer | null;
  /** `read`: the pages that were opened for it, and when they were fetched. */
  keep(answer: SearchAnswer, read: ReadonlyMap<string, number>): void;
};

type Sought = Omit<SearchRequest, 'signal'> & Partial<Pick<SearchRequest, 'signal'>>;

/** Answers by everything in the request that shapes them. An answer is dropped as soon as a source has changed in a way that may change it. */
export type SearchCache = {
  look(request: Sought): Promise<Place>;
  /** Drops all answers. */
  clear(): void;
};

const FRESH_MS = 300_000;
/** Of the results' JSON, which is about what the objects take: some 3,000 answers. */
const CHARS_MAX = 16 * 1_048_576;

/** In memory, bounded in size; answers stay fresh for five minutes. */
export function createSearchCache(parts: {
  sources: Pick<LocalSource, 'version' | 'isUnaffected'>[];
  clock: Clock;
  /** Answers of other processes, and what names the state of the sources in all of them; absent or null: this process is alone. */
  shared?: SharedAnswers | null;
}): SearchCache {
  const { sources, shared = null } = parts;
  const answers = new LRUCache<string, Kept>({
    maxSize: CHARS_MAX,
    sizeCalculation: ({ answer }) => 1_000 + JSON.stringify(answer.results).length,
  });
  const versionsNow = (): (string | Promise<string>)[] => sources.map((source) => source.version?.() ?? '');
  const freshOf = (key: string): Kept | null => {
    const kept = answers.get(key);
    return kept !== undefined && parts.clock.now() - kept.at <= FRESH_MS ? kept : null;
  };
  return {
    async look(request) {
      // Read before the sources are asked, so that no answer is stored under a newer version than its own.
      const asked = versionsNow();
      const versions = asked.every(isText) ? asked : await Promise.all(asked);
      const key = keyOf(request);
      const kept = freshOf(key);
      const fresh =
        kept !== null &&
        (hasPassed(kept, versions) || (await isCurrent(kept, versions, { sources, request })));
      const place = shared === null ? null : `${shared.stateOf(versions)} ${key}`;
      const found =
        fresh || place === null ? null : await answerOf(shared, { place, versions, signal: request.signal });
      const isFound = found !== null && (await isCurrent(found, versions, { sources, request }));
      // From now on it is dropped as precisely as an own one.
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
  /** Names what the sources must have in common for an answer of another process to be of use. */
  stateOf(versions: readonly string[]): string;
  /** Whether versions mean the same in every process; else an answer is only of use while nothing has changed since. */
  sharesVersions: boolean;
};

async function answerOf(
  shared: SharedAnswers | null,
  { place, versions, signal }: { place: string; versions: string[]; signal: AbortSignal | undefined },
): Promise<Kept | null> {
  const found = ((await shared?.values.get(place, signal)) ?? null) as Omit<Kept, 'passed' | 'read'> | null;
  if (found === null || shared === null) return null;
  const since = shared.sharesVersions ? found.versions : versions;
  return { ...found, read: new Map(), versions: since, passed: since };
}

/** `versions`: of the sources when they were asked; `passed`: the last ones that did not concern the answer. */
type Kept = {
  answer: SearchAnswer;
  read: ReadonlyMap<string, number>;
  versions: string[];
  passed: string[];
  at: number;
};

async function isCurrent(
  kept: Kept,
  now: string[],
  { sources, request }: { sources: Pick<LocalSource, 'isUnaffected'>[]; request: Sought },
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

const isText = (version: string | Promise<string>): version is string => typeof version === 'string';

const hasPassed = ({ passed }: Pick<Kept, 'passed'>, now: readonly string[]): boolean =>
  passed.every((version, place) => version === now[place]);

function keyOf(request: Sought): string {
  const { signal: _, keep: _keep, ...shaping } = request as SearchRequest;
  return JSON.stringify(shaping);
}
