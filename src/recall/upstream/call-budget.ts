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
