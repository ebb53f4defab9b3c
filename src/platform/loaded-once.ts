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
