import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.ts';
import type { LocalSource } from '../recall/recall.ts';
import type { SearchAnswer, SearchRequest } from './search-types.ts';

/** The cache entry of one search: its fresh answer, if any, and how to store a new one. */
type Place = { answer: SearchAnswer | null; keep(answer: SearchAnswer): void };

/** Answers by everything in the request that shapes them. An answer is dropped as soon as a source has changed in a way that may change it. */
export type SearchCache = {
  look(request: SearchRequest): Promise<Place>;
  /** Drops all answers. */
  clear(): void;
};

const FRESH_MS = 300_000;
/** Of the results' JSON, which is about what the objects take: some 4,500 answers. */
const CHARS_MAX = 24 * 1_048_576;

/** In memory, bounded in size; answers stay fresh for five minutes. */
export function createSearchCache(parts: {
  sources: Pick<LocalSource, 'version' | 'isUnaffected'>[];
  clock: Clock;
}): SearchCache {
  const { sources } = parts;
  const answers = new LRUCache<string, Kept>({
    maxSize: CHARS_MAX,
    sizeCalculation: ({ answer }) => 1_000 + JSON.stringify(answer.results).length,
  });
  return {
    async look(request) {
      // Read before the sources are asked, so that no answer is stored under a newer version than its own.
      const versions = await Promise.all(sources.map((source) => source.version?.() ?? ''));
      const key = keyOf(request);
      const kept = answers.get(key);
      const fresh =
        kept !== undefined &&
        parts.clock.now() - kept.at <= FRESH_MS &&
        isCurrent(kept, versions, { sources, request });
      return {
        answer: fresh ? kept.answer : null,
        keep(answer) {
          // A caller who sets how fresh pages must be does not want an answer from minutes ago.
          if (request.opening?.freshMs !== undefined) return;
          // An answer without one of its sources is not stored: the next caller should get another try.
          if (Object.values(answer.sources).some(({ ok }) => !ok)) return;
          answers.set(key, { answer, versions, passed: versions, at: parts.clock.now() });
        },
      };
    },
    clear: () => answers.clear(),
  };
}

/** `versions`: of the sources when they were asked; `passed`: the last ones that did not concern the answer. */
type Kept = { answer: SearchAnswer; versions: string[]; passed: string[]; at: number };

function isCurrent(
  kept: Kept,
  now: string[],
  { sources, request }: { sources: Pick<LocalSource, 'isUnaffected'>[]; request: SearchRequest },
): boolean {
  const hasPassed = kept.passed.every((version, place) => version === now[place]);
  if (hasPassed) return true;
  const { query, additionalQueries = [], pageText } = request;
  const subject = {
    texts: [query, ...additionalQueries, ...(pageText?.include ?? [])],
    urls: new Set(kept.answer.results.map(({ url }) => url)),
  };
  const isUnaffected = sources.every((source, place) => {
    const [since = '', version = ''] = [kept.versions[place], now[place]];
    return since === version || (source.isUnaffected?.(since, version, subject) ?? false);
  });
  if (isUnaffected) kept.passed = now;
  return isUnaffected;
}

function keyOf({ signal: _, keep: _keep, ...shaping }: SearchRequest): string {
  return JSON.stringify(shaping);
}
