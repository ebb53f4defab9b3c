/** What has been started and must be ended again, in reverse order. */
export type Teardown = {
  add(end: () => unknown): void;
  /** Ends everything that was added, the latest first. A second call finds nothing left to end. */
  run(): Promise<void>;
  /** Resolves to what `start` makes. If it fails, ends what had been added by then and rethrows. */
  onFailure<Started>(start: () => Promise<Started>): Promise<Started>;
};

export function createTeardown(): Teardown {
  const ends: (() => unknown)[] = [];
  const run = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  return {
    add(end) {
      ends.push(end);
    },
    run,
    async onFailure(start) {
      try {
        return await start();
      } catch (error) {
        await run();
        throw error;
      }
    },
  };
}

/** Ends everything; whatever waits for the index meanwhile does so no longer than a closing process may. */
export function createCloser(
  index: { endSoon?(): void },
  { run }: Pick<Teardown, 'run'>,
): () => Promise<void> {
  return () => {
    index.endSoon?.();
    return run();
  };
}

/** Something that is starting, and how it is ended again. */
type Starting<Part> = { starting: Promise<Part>; end(part: Part): unknown };

/**
 * Waits until each of two has started or failed, and adds the ends of those that have, the first one's first. Throws the first
 * failure.
 */
export async function awaitBothStarted<First, Second>(
  teardown: Pick<Teardown, 'add'>,
  first: Starting<First>,
  second: Starting<Second>,
): Promise<[First, Second]> {
  const [one, other] = await Promise.allSettled([first.starting, second.starting]);
  if (one.status === 'fulfilled') teardown.add(() => first.end(one.value));
  if (other.status === 'fulfilled') teardown.add(() => second.end(other.value));
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
}
