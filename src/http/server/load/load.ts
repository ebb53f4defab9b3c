import { Failure } from '../../../contract/errors.ts';
import {
  ARRIVING_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  IN_FLIGHT_MAX,
  SMALL_BODY_BYTES,
} from '../../../contract/limits.ts';
import type { Tenant } from '../../../platform/sharing/fair-queue.ts';
import type { RequestLimit } from './request-limit.ts';

/** The current load of the service. */
export type Load = {
  begin(): RequestLoad;
  /** Throws `Failure('overloaded')` if the service is at capacity or has no place for a request of `who`. */
  assertRoom(who: string): void;
};

/** One request's share of the load. */
export type RequestLoad = {
  /** Takes a place among the requests in flight until the call ends. Throws `Failure('overloaded')` if there is none for `who`. */
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
export function createLoad(limit: Limit): Load {
  const total: Total = { calls: 0, bytes: 0, arriving: 0, held: createBytesHeld() };
  return {
    begin: () => new LoadOfRequest(total, limit),
    assertRoom(who) {
      const isFull = total.calls >= IN_FLIGHT_MAX || total.bytes >= IN_FLIGHT_BYTES_MAX;
      if (isFull || !limit.hasPlace(who)) throw createOverloadFailure();
    },
  };
}

type Limit = Pick<RequestLimit, 'enter' | 'hasPlace'>;

/** Totals over all requests. */
type Total = { calls: number; bytes: number; arriving: number; held: BytesHeld };

/** A class, because per-request closures would be a large part of what a cached answer allocates. */
class LoadOfRequest implements RequestLoad {
  readonly #total: Total;
  readonly #limit: Limit;
  #calls = 0;
  #bytes = 0;
  #arriving = 0;
  #ended = false;
  #owner: Tenant;
  #leave: (() => void) | null = null;

  constructor(total: Total, limit: Limit) {
    this.#total = total;
    this.#limit = limit;
  }

  addArriving(added: number): void {
    this.#put(this.#calls, this.#bytes + added, this.#arriving + added);
    if (this.#arriving <= SMALL_BODY_BYTES || this.#total.arriving <= ARRIVING_BYTES_MAX) return;
    this.#put(this.#calls, 0, 0);
    throw createOverloadFailure();
  }

  enter(who: string): void {
    this.#leave = this.#limit.enter(who);
    if (this.#leave === null) throw createOverloadFailure();
  }

  startCall(): void {
    this.#put(1, this.#bytes, 0);
  }

  endCall(): void {
    this.#leave?.();
    this.#put(0, this.#bytes, this.#arriving);
  }

  addBytes(added: number): void {
    this.#put(this.#calls, this.#bytes + added, this.#arriving);
  }

  assignTo(tenant: Tenant): void {
    const { held, bytes } = this.#total;
    held.add(this.#owner, -this.#bytes);
    this.#owner = tenant;
    held.add(tenant, this.#bytes);
    // A dynamic threshold, as in fair-shares.ts: one caller leaves half of the room free, two leave a third.
    if (held.of(tenant) > IN_FLIGHT_BYTES_MAX - bytes)
      throw new Failure('overloaded', 'Your earlier calls use up your share; try again in a moment.');
  }

  end(): void {
    this.#leave?.();
    this.#put(0, 0, 0);
    this.#ended = true;
  }

  #put(calls: number, bytes: number, arriving: number): void {
    if (this.#ended) return;
    const total = this.#total;
    total.calls += calls - this.#calls;
    total.bytes += bytes - this.#bytes;
    total.arriving += arriving - this.#arriving;
    total.held.add(this.#owner, bytes - this.#bytes);
    this.#calls = calls;
    this.#bytes = bytes;
    this.#arriving = arriving;
  }
}

type BytesHeld = { add(tenant: Tenant, bytes: number): void; of(tenant: Tenant): number };

/** Bytes per caller; requests whose caller is not yet known count for no one. */
function createBytesHeld(): BytesHeld {
  const held = new Map<string, number>();
  const readBytesHeld = (tenant: Tenant): number => (tenant === undefined ? 0 : (held.get(tenant) ?? 0));
  return {
    of: readBytesHeld,
    add(tenant, bytes) {
      if (tenant === undefined || bytes === 0) return;
      const now = readBytesHeld(tenant) + bytes;
      if (now === 0) held.delete(tenant);
      else held.set(tenant, now);
    },
  };
}

const createOverloadFailure = (): Failure =>
  new Failure('overloaded', 'Too many requests are under way; try again in a moment.');
