import type { Clock } from './clock.ts';

/** Reads again only after a while; all who ask meanwhile get the same reading, also one that is not there yet, and one that failed. */
export function cachedFor<Value>(ms: number, clock: Clock, read: () => Promise<Value>): () => Promise<Value> {
  let kept: { at: number; value: Promise<Value> } | null = null;
  return () => {
    if (kept === null || clock.now() - kept.at >= ms) kept = { at: clock.now(), value: read() };
    return kept.value;
  };
}
