import type { Clock } from './clock.ts';

/** Returns a function that makes the value on its first call and returns the same value afterwards. */
export function createLazy<Made>(make: () => Made): () => Made {
  let made: { value: Made } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns a function that loads on its first call. A failed load is retried by the next call. */
export function createLazyLoader<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

/** Caches a reading for `ms` milliseconds from its start, including one that is pending or has failed. */
export function cacheFor<Value>(ms: number, clock: Clock, read: () => Promise<Value>): () => Promise<Value> {
  let kept: { at: number; value: Promise<Value> } | null = null;
  return () => {
    if (kept === null || clock.now() - kept.at >= ms) kept = { at: clock.now(), value: read() };
    return kept.value;
  };
}
