import { Failure } from '../errors.ts';
import type { LoopDelay } from '../platform/loop-delay.ts';

/** Calls under way beyond which further ones are turned away at once; well above the priced calls that fair-calls.ts lets wait. */
export const IN_FLIGHT_MAX = 1_800;
/** Bytes of request bodies and of answers on their way, over all connections. */
export const IN_FLIGHT_BYTES_MAX = 268_435_456;
/** An event loop that lets work wait longer takes no more of it. */
export const LOOP_DELAY_MAX_MS = 500;

/** What the service carries at the moment. */
export type Load = {
  begin(): RequestLoad;
  /** Throws `Failure('overloaded')` where the service carries as much as it can. */
  assertRoom(): void;
};

/** The part of the load that one request is. */
export type RequestLoad = {
  startCall(): void;
  endCall(): void;
  addBytes(bytes: number): void;
  /** Takes off whatever was put on. */
  end(): void;
};

/** Counts what is under way, so that what comes on top is refused instead of slowing everything down. */
export function createLoad(loopDelay: Pick<LoopDelay, 'ms'>): Load {
  let calls = 0;
  let bytes = 0;
  return {
    begin() {
      let own = { calls: 0, bytes: 0 };
      const put = (now: typeof own): void => {
        calls += now.calls - own.calls;
        bytes += now.bytes - own.bytes;
        own = now;
      };
      return {
        startCall: () => put({ ...own, calls: 1 }),
        endCall: () => put({ ...own, calls: 0 }),
        addBytes: (added) => put({ ...own, bytes: own.bytes + added }),
        end: () => put({ calls: 0, bytes: 0 }),
      };
    },
    assertRoom() {
      if (calls >= IN_FLIGHT_MAX || bytes >= IN_FLIGHT_BYTES_MAX || loopDelay.ms() > LOOP_DELAY_MAX_MS)
        throw new Failure('overloaded', 'Too many requests are under way; try again in a moment.');
    },
  };
}
