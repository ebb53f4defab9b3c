/** What is made when it is first asked for. */
export function lazily<Made>(make: () => Made): () => Made {
  let made: { value: Made } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What the first use loads. A load that failed is tried again by the next use. */
export function loadedByFirstUse<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}
