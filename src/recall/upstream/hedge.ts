/**
 * `call`, and when it has not settled after `afterMs` and `may` says so, once more beside it: the first that `counts` wins, the other is
 * aborted; when none counts, the last one to settle is the answer. `call` must not reject.
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

/** Lets extra calls (hedges, retries) be a bounded share of the calls that were due. */
type CallBudget = { count(): void; take(): boolean };

/** Forgets gradually: a quiet month must not pay for a storm. */
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
