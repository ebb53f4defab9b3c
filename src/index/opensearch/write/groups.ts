/** Runs items of many callers in groups: items that arrive while earlier groups are running share the next one. */
type Groups<Item> = (item: Item) => Promise<void>;

type QueuedItem<Item> = { item: Item; done: PromiseWithResolvers<void> };

/** `run` takes at most `groupMax` items; at most `runningMax` groups run at a time. A group fails as a whole. */
export function createGroups<Item>(
  run: (items: Item[]) => Promise<void>,
  { groupMax, runningMax }: { groupMax: number; runningMax: number },
): Groups<Item> {
  const waiting: QueuedItem<Item>[] = [];
  let running = 0;
  const runNext = async (): Promise<void> => {
    if (running >= runningMax || waiting.length === 0) return;
    running += 1;
    const group = waiting.splice(0, groupMax);
    try {
      await run(group.map(({ item }) => item));
      for (const { done } of group) done.resolve();
    } catch (error) {
      for (const { done } of group) done.reject(error);
    }
    running -= 1;
    void runNext();
  };
  return (item) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ item, done });
    // Items that arrive in the same turn of the event loop share a group.
    queueMicrotask(() => void runNext());
    return done.promise;
  };
}
