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
