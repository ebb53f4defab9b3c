/** What is kept of one object at a time: callers ask for different things. */
const WAYS_MAX = 4;

/** What is made of kept objects, for as long as those are kept. `way`: everything else that it depends on. */
type MadeOnce<Kept extends object, Made> = (kept: Kept, way: string, make: () => Made) => Made;

/** Remembers what was made of an object; forgets it with the object. */
export function createMadeOnce<Kept extends object, Made>(): MadeOnce<Kept, Made> {
  const known = new WeakMap<Kept, Map<string, Made>>();
  return (kept, way, make) => {
    const ways = known.get(kept) ?? new Map<string, Made>();
    const found = ways.get(way);
    if (found !== undefined) return found;
    const made = make();
    if (ways.size >= WAYS_MAX) ways.clear();
    known.set(kept, ways.set(way, made));
    return made;
  };
}

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
