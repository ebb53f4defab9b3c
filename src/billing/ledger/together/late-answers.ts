import { LEDGER_MS } from '../ledger-patience.ts';

/** Tells who waits for the ledger store when its time is over; one timer serves all, because most answers come within milliseconds. */
export type LateAnswers = {
  /** `giveUp` is called once `LEDGER_MS` have passed, or a moment later. */
  begin(giveUp: () => void): void;
  end(giveUp: () => void): void;
};

const TICK_MS = 250;
const TICKS = LEDGER_MS / TICK_MS + 1;

export function createLateAnswers(): LateAnswers {
  /** Since which tick each waits, in that order. */
  const waiting = new Map<() => void, number>();
  let ticks = 0;
  let isTicking = false;
  const tick = (): void => {
    ticks += 1;
    for (const [giveUp, since] of waiting) {
      if (ticks - since < TICKS) break;
      waiting.delete(giveUp);
      giveUp();
    }
    isTicking = waiting.size > 0;
    if (isTicking) setTimeout(tick, TICK_MS);
  };
  return {
    begin(giveUp) {
      waiting.set(giveUp, ticks);
      if (isTicking) return;
      isTicking = true;
      setTimeout(tick, TICK_MS);
    },
    end: (giveUp) => void waiting.delete(giveUp),
  };
}
