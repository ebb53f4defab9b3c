import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import type { SourceItem } from '../source.ts';

/** Answers of the upstream sources by request: fresh for five minutes, and usable for six hours if a source fails. */
export type AnswerCache = {
  keep(key: string, items: SourceItem[]): void;
  fresh(key: string): SourceItem[] | null;
  /** Fresh or stale. */
  any(key: string): SourceItem[] | null;
  /** Drops all answers. */
  clear(): void;
};

export const FRESH_MS = 300_000;
export const STALE_MS = 21_600_000;
const CHARS_MAX = 32 * 1_048_576;
const ENTRY_CHARS = 500;

export function createAnswerCache(clock: Clock): AnswerCache {
  const answers = new LRUCache<string, { items: SourceItem[]; at: number }>({
    maxSize: CHARS_MAX,
    sizeCalculation: ({ items }, key) => ENTRY_CHARS + key.length + JSON.stringify(items).length,
  });
  const findWithin = (key: string, ms: number): SourceItem[] | null => {
    const kept = answers.get(key);
    return kept !== undefined && clock.now() - kept.at <= ms ? kept.items : null;
  };
  return {
    keep: (key, items) => void answers.set(key, { items, at: clock.now() }),
    fresh: (key) => findWithin(key, FRESH_MS),
    any: (key) => findWithin(key, STALE_MS),
    clear: () => answers.clear(),
  };
}
