/** One of several that were asked at once. */
export type PendingAnswer<T> = {
  name: string;
  /** Never rejects. */
  answer: Promise<T>;
  /** False: its answer counts when it is there in time, and nobody waits for it while others suffice. */
  isWaitedFor: boolean;
};

export type GatheredAnswer<T> = { name: string; answer: T; ms: number };

type Patience<T> = {
  softMs: number;
  hardMs: number;
  /** Whether what is in would do if the rest were late. */
  isEnough(arrived: readonly GatheredAnswer<T>[]): boolean;
  signal: AbortSignal;
  now(): number;
};

/**
 * Waits for all answers; but for those that are waited for at most until `softMs` once what is in is enough, and for nobody beyond
 * `hardMs` or the signal. The rest go on; what they bring is not in the result.
 */
export function gather<T>(
  asked: readonly PendingAnswer<T>[],
  patience: Patience<T>,
): Promise<GatheredAnswer<T>[]> {
  const { softMs, hardMs, signal, now } = patience;
  const begun = now();
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
    const look = (): void => {
      const isComplete = arrived.length === asked.length;
      if (isComplete || ((isSoft || waitedFor.size === 0) && patience.isEnough(arrived))) end();
    };
    const soft = setTimeout(() => {
      isSoft = true;
      look();
    }, softMs);
    const hard = setTimeout(end, hardMs);
    signal.addEventListener('abort', end, { once: true });
    for (const { name, answer } of asked) {
      answer.then((value) => {
        arrived.push({ name, answer: value, ms: now() - begun });
        waitedFor.delete(name);
        look();
      }, reject);
    }
    if (signal.aborted || asked.length === 0) end();
  });
}
