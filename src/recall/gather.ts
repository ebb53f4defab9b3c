/** One of several requests sent at once. */
export type PendingAnswer<T> = {
  name: string;
  /** Never rejects. */
  answer: Promise<T>;
  /** If false, the answer counts if it arrives in time, but is not waited for once the others suffice. */
  isWaitedFor: boolean;
};

export type GatheredAnswer<T> = { name: string; answer: T; ms: number };

type GatherLimits<T> = {
  softMs: number;
  hardMs: number;
  /** Returns true if the answers so far suffice even if the rest are late. */
  isEnough(arrived: readonly GatheredAnswer<T>[]): boolean;
  signal: AbortSignal;
};

/**
 * Waits for all answers. Once those so far suffice, waits only for the ones marked `isWaitedFor`, and only until `softMs`; never
 * waits beyond `hardMs` or the signal. Late requests continue, but their answers are not in the result.
 */
export function gather<T>(
  asked: readonly PendingAnswer<T>[],
  patience: GatherLimits<T>,
): Promise<GatheredAnswer<T>[]> {
  const { softMs, hardMs, signal } = patience;
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const arrived: GatheredAnswer<T>[] = [];
    const waitedFor = new Set(asked.filter(({ isWaitedFor }) => isWaitedFor).map(({ name }) => name));
    let isSoft = false;
    const end = (): void => {
      clearTimeout(soft);
      clearTimeout(hard);
      signal.removeEventListener('abort', end);
      resolve([...arrived]);
    };
    const endIfDone = (): void => {
      const isComplete = arrived.length === asked.length;
      if (isComplete || ((isSoft || waitedFor.size === 0) && patience.isEnough(arrived))) end();
    };
    const soft = setTimeout(() => {
      isSoft = true;
      endIfDone();
    }, softMs);
    const hard = setTimeout(end, hardMs);
    signal.addEventListener('abort', end, { once: true });
    for (const { name, answer } of asked) {
      answer.then((value) => {
        arrived.push({ name, answer: value, ms: performance.now() - begun });
        waitedFor.delete(name);
        endIfDone();
      }, reject);
    }
    if (signal.aborted || asked.length === 0) end();
  });
}
