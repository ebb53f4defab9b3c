import type { Clock } from './clock.ts';

/** Caches a reading for `ms` milliseconds from its start, including one that is pending or has failed. */
export function cacheFor<Value>(ms: number, clock: Clock, read: () => Promise<Value>): () => Promise<Value> {
  let kept: { at: number; value: Promise<Value> } | null = null;
  return () => {
    if (kept === null || clock.now() - kept.at >= ms) kept = { at: clock.now(), value: read() };
    return kept.value;
  };
}
