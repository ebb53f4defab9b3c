import { setTimeout as pause } from 'node:timers/promises';
import { runInCall, runOutsideCalls } from '../connect/cluster.ts';

/** A reading and the argument that it was requested with; `value` is null until it has arrived. */
type Reading<Value, Asked> = { at: number; asked: Asked; found: Promise<Value>; value: Value | null };

type CoalescedReadOptions<Value, Asked> = {
  read(): Promise<Value>;
  /** Returns whether a reading is still fresh enough for a call. */
  isFresh(reading: Reading<Value, Asked>, asked: Asked): boolean;
  wait?: (ms: number) => Promise<unknown>;
};

/** Time limit for a reading, longer than a search may take; ends a reading that gets no answer. */
const READ_MS = 8_000;
/** Time limit for a new reading when an earlier one can be used instead. */
const WAIT_MS = 2_000;

/**
 * Creates a cached read of the cluster that concurrent calls share. While a new reading is late or has failed, the previous one is
 * used, so that a lost node costs a search nothing.
 */
export function createCoalescedRead<Value, Asked = undefined>({
  read,
  isFresh,
  wait = (ms) => pause(ms, undefined, { ref: false }),
}: CoalescedReadOptions<Value, Asked>): (asked: Asked) => Promise<Value> {
  let last: Reading<Value, Asked> | null = null;
  let known: { value: Value; at: number } | null = null;
  const begin = (asked: Asked): Reading<Value, Asked> => {
    const reading: Reading<Value, Asked> = {
      at: Date.now(),
      asked,
      value: null,
      found: runOutsideCalls(() => runInCall(AbortSignal.timeout(READ_MS), read)),
    };
    reading.found.then(
      (value) => {
        reading.value = value;
        if (known === null || known.at <= reading.at) known = { value, at: reading.at };
      },
      () => {
        if (last === reading) last = null;
      },
    );
    return reading;
  };
  return async (asked) => {
    if (last === null || !isFresh(last, asked)) last = begin(asked);
    const { found } = last;
    if (known === null) return found;
    const { value } = known;
    const late = wait(WAIT_MS).then(() => value);
    return Promise.race([found.catch(() => value), late]);
  };
}
