/** Collects the end functions of started parts, to run them in reverse order. */
export type Teardown = {
  add(end: () => unknown): void;
  /** Ends everything that was added, the latest first. A second call does nothing. */
  run(): Promise<void>;
  /** Resolves to the result of `start`. If it fails, ends what had been added and rethrows. */
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

/** Creates a function that ends everything. It first tells the index to end soon, so that nothing waits for it too long. */
export function createCloser(
  index: { endSoon?(): void },
  { run }: Pick<Teardown, 'run'>,
): () => Promise<void> {
  return () => {
    index.endSoon?.();
    return run();
  };
}

/** A part that is starting, and the function that ends it. */
type Starting<Part> = { starting: Promise<Part>; end(part: Part): unknown };

/**
 * Waits until both parts have started or failed, and adds the end functions of those that started, in order. Throws the first
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
