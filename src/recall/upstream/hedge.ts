/**
 * Runs `call`, and a second time in parallel if it has not settled after `afterMs` and `may` agrees. The first answer that `counts` wins
 * and the other call is aborted; if none counts, the last one to settle is the answer. `call` must not reject.
 */
export async function hedged<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { afterMs, may, counts }: { afterMs: number | null; may: () => boolean; counts: (answer: T) => boolean },
): Promise<T> {
  if (afterMs === null) return call(new AbortController().signal);
  const ended = new AbortController();
  return new Promise<T>((resolve, reject) => {
    let open = 0;
    const begin = (): void => {
      open += 1;
      call(ended.signal).then((answer) => {
        open -= 1;
        if (!counts(answer) && open > 0) return;
        clearTimeout(timer);
        resolve(answer);
        ended.abort();
      }, reject);
    };
    const timer = setTimeout(() => {
      if (may()) begin();
    }, afterMs);
    begin();
  });
}

/** Bounds extra calls (hedges, retries) to a share of the regular calls. */
type CallBudget = { count(): void; take(): boolean };

/** Counts are halved at this number, so that old calls do not pay for a burst of extra ones. */
const CALLS_REMEMBERED = 1_000;

export function createCallBudget(shareMax: number): CallBudget {
  let due = 0;
  let extra = 0;
  return {
    count() {
      due += 1;
      if (due < CALLS_REMEMBERED) return;
      due /= 2;
      extra /= 2;
    },
    take() {
      if (extra + 1 > due * shareMax) return false;
      extra += 1;
      return true;
    },
  };
}
