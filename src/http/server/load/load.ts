import { Failure } from '../../../contract/errors.ts';
import {
  ARRIVING_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  IN_FLIGHT_MAX,
  SMALL_BODY_BYTES,
} from '../../../contract/limits.ts';
import type { LoopDelay } from '../../../platform/loop-delay.ts';
import type { Tenant } from '../../../platform/sharing/fair-shares.ts';
import type { RequestLimit } from './request-limit.ts';

/** No new requests are accepted while the event loop lags by more than this. */
export const LOOP_DELAY_MAX_MS = 500;

/** The current load of the service. */
export type Load = {
  begin(): RequestLoad;
  /** Throws `Failure('overloaded')` when the service is at capacity, or has no place for a request of `who`. */
  assertRoom(who: string): void;
};

/** One request's share of the load. */
export type RequestLoad = {
  /** Takes a place among the requests in flight, until the call ends. Throws `Failure('overloaded')` if there is none for `who`. */
  enter(who: string): void;
  startCall(): void;
  endCall(): void;
  /** Adds a piece of the body. If there is no room, removes the body from the count and throws `Failure('overloaded')`. */
  addArriving(bytes: number): void;
  addBytes(bytes: number): void;
  /**
   * Counts the request's bytes towards its caller. Throws `Failure('overloaded')` if the caller's requests hold more bytes than
   * are still free.
   */
  assignTo(tenant: Tenant): void;
  /** Removes everything this request added. */
  end(): void;
};

/** Tracks requests and bytes in flight, so that excess requests are rejected instead of slowing everything down. */
export function createLoad(
  loopDelay: Pick<LoopDelay, 'ms'>,
  limit: Pick<RequestLimit, 'enter' | 'hasPlace'>,
): Load {
  let calls = 0;
  let bytes = 0;
  let arriving = 0;
  const held = createBytesHeld();
  return {
    begin() {
      let [ownCalls, ownBytes, ownArriving, ended] = [0, 0, 0, false];
      let owner: Tenant;
      let leave: (() => void) | null = null;
      const put = (nowCalls: number, nowBytes: number, nowArriving: number): void => {
        if (ended) return;
        calls += nowCalls - ownCalls;
        bytes += nowBytes - ownBytes;
        arriving += nowArriving - ownArriving;
        held.add(owner, nowBytes - ownBytes);
        [ownCalls, ownBytes, ownArriving] = [nowCalls, nowBytes, nowArriving];
      };
      return {
        addArriving(added) {
          put(ownCalls, ownBytes + added, ownArriving + added);
          if (ownArriving <= SMALL_BODY_BYTES || arriving <= ARRIVING_BYTES_MAX) return;
          put(ownCalls, 0, 0);
          throw overloaded();
        },
        enter(who) {
          leave = limit.enter(who);
          if (leave === null) throw overloaded();
        },
        startCall: () => put(1, ownBytes, 0),
        endCall() {
          leave?.();
          put(0, ownBytes, ownArriving);
        },
        addBytes: (added) => put(ownCalls, ownBytes + added, ownArriving),
        assignTo(tenant) {
          held.add(owner, -ownBytes);
          owner = tenant;
          held.add(owner, ownBytes);
          // A dynamic threshold, as in fair-shares.ts: one caller leaves half of the room free, two leave a third.
          if (held.of(tenant) > IN_FLIGHT_BYTES_MAX - bytes)
            throw new Failure('overloaded', 'Your earlier calls use up your share; try again in a moment.');
        },
        end() {
          leave?.();
          put(0, 0, 0);
          ended = true;
        },
      };
    },
    assertRoom(who) {
      const isFull = calls >= IN_FLIGHT_MAX || bytes >= IN_FLIGHT_BYTES_MAX;
      if (isFull || loopDelay.ms() > LOOP_DELAY_MAX_MS || !limit.hasPlace(who)) throw overloaded();
    },
  };
}

type BytesHeld = { add(tenant: Tenant, bytes: number): void; of(tenant: Tenant): number };

/** Bytes per caller; requests whose caller is not yet known count for no one. */
function createBytesHeld(): BytesHeld {
  const held = new Map<string, number>();
  const of = (tenant: Tenant): number => (tenant === undefined ? 0 : (held.get(tenant) ?? 0));
  return {
    of,
    add(tenant, bytes) {
      if (tenant === undefined || bytes === 0) return;
      const now = of(tenant) + bytes;
      if (now === 0) held.delete(tenant);
      else held.set(tenant, now);
    },
  };
}

const overloaded = (): Failure =>
  new Failure('overloaded', 'Too many requests are under way; try again in a moment.');
