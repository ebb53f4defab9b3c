/** What goes wrong with a call. */
export type Fault =
  /** The connection ends before anything was done. */
  | 'refuse'
  /** It was done, but the answer is lost. */
  | 'drop'
  /** It was done, but the answer breaks off. */
  | 'truncate'
  /** 429: nothing was done, and the key is free. */
  | 'throttle'
  /** 500, which is then repeated for its key: nothing was done. */
  | 'fail'
  /** 500, which is then repeated for its key, although it was done. */
  | 'fail-after'
  /** It is done, and answered, when the promise resolves; until then the key is in use. */
  | { stall: Promise<void> };

export type Faults = {
  /** The next `times` calls whose `METHOD /path` matches meet the fault. */
  inject(where: RegExp, fault: Fault, times?: number): void;
  next(call: string): Fault | null;
  /** Ends all that were injected and not met. */
  clear(): void;
};

export function createFaults(): Faults {
  const planned: { where: RegExp; fault: Fault; left: number }[] = [];
  return {
    inject: (where, fault, times = 1) => void planned.push({ where, fault, left: times }),
    next(call) {
      const met = planned.find(({ where, left }) => left > 0 && where.test(call));
      if (met === undefined) return null;
      met.left -= 1;
      return met.fault;
    },
    clear: () => void planned.splice(0),
  };
}
