/**
 * Admission: what a request passes before it is handled, so that excess requests are refused instead of slowing everything down and no
 * sender delays another. It bounds the requests in flight and their bytes, lowers that bound while this process has more work than it can
 * do, and lets requests begin in fair turns on the event loop. It never refuses a probe, and knows neither keys nor credits.
 */
import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import {
  ARRIVING_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  IN_FLIGHT_MAX,
  SMALL_BODY_BYTES,
} from '../../contract/limits.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { MemoryRoom } from '../../platform/memory-room.ts';
import type { LoopDelay } from '../../platform/metrics.ts';
import { findCallerAddress, type Proxies } from './arrival.ts';

/** Total time of the requests that begin in one pass of the loop, approximately; a single one may take longer. */
export const SLICE_MS = 10;
/** Maximum requests that begin in one pass. */
const BATCH_MAX = 64;
const EVENT_LOOP: Loop = { now: () => performance.now(), nextPass: (run) => void setImmediate(run) };
export const STEP_MS = 100;
const STEPS_MAX = 100;
/**
 * Minimum limit, however busy the process is: enough to keep its threads busy and to give a caller with 32 open requests a place for each.
 * Such a caller is no overload, but with a lower limit a single late turn of the event loop, such as a garbage collection, would refuse
 * half of its requests.
 */
export const REQUESTS_LEAST = 64;
/**
 * With fewer requests in flight than one caller may keep open, the service is not overloaded: if it is slow, other programs are using the
 * machine.
 */
export const REQUESTS_FEW = REQUESTS_LEAST / 2;
/**
 * While fewer callers than this have requests in flight, a caller with none gets a place beyond the limit, so that a flood does not keep it
 * out.
 */
const CALLERS_MAX = 64;
/** Under congestion the limit becomes this share of the running requests, because those are already too many, whatever the limit was. */
const SHRINK = 0.85;
/** Growth factor without congestion; `GROW_MIN` makes small limits grow faster. */
const GROW = 1.1;
const GROW_MIN = 4;
/**
 * An event loop that is late and uses a whole core has more work than it can do. One that is late but does not is waiting for a busy
 * machine.
 */
const LATE_MS = 15;
const BUSY_SHARE = 0.9;
/** A loop this late meets no caller's time limits, whoever uses the cores. */
const VERY_LATE_MS = 500;

declare module 'fastify' {
  interface FastifyRequest {
    load: RequestLoad;
  }
  interface FastifyContextConfig {
    /** Served under any load. */
    probe?: boolean;
  }
}

/**
 * Rejects requests while the service is at capacity: before their body is read, and again before they are handled. A request is in flight
 * until its response is ready; from then on only the response's bytes count. Admitted requests begin in their turn on the event loop.
 */
export function admitRequests(
  app: FastifyInstance,
  { limit, ...proxies }: { limit: RoomLimit } & Proxies,
): void {
  const load = createLoad(limit);
  const turns = createLoopTurns();
  app.decorateRequest('load');
  app.addHook('onRequest', (request, reply, done) => {
    request.load = load.begin();
    reply.raw.on('close', () => request.load.end());
    if (!request.routeOptions.config.probe)
      load.assertRoom(readClaimedKey(request) ?? findCallerAddress(request, proxies));
    done();
  });
  // Requests whose body is still arriving hold no place, so that slow senders do not keep others out.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.config.probe) return done();
    const address = findCallerAddress(request, proxies);
    const claim = readClaimedKey(request);
    request.load.startCall(claim ?? address);
    turns.take({ address, claim: claim ?? '' }, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // Buffers are shared between responses, so their bytes do not count. A stream's call is still running, unless it only compresses.
    if (typeof payload === 'string') request.load.endCall(payload.length);
    else if (payload instanceof Uint8Array || reply.hasHeader('Content-Encoding')) request.load.endCall(0);
    done();
  });
}

/** Reads the key that a request sends, unchecked. */
function readClaimedKey({ headers }: FastifyRequest): string | null {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (typeof key === 'string' ? key : null);
}

/** Answers only health checks and metrics, in a process that serves no calls. */
export function answerProbesOnly(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.probe) done();
    else done(new Failure('not_found', 'This process works on crawls and answers no calls.'));
  });
}

/** The current load of the service. */
export type Load = {
  begin(): RequestLoad;
  /** Throws `Failure('overloaded')` if the service is at capacity or has no place for a request of `who`. */
  assertRoom(who: string): void;
};

type RoomLimit = Pick<RequestLimit, 'enter' | 'hasPlace'>;

/** Totals over all requests; requests whose caller is not yet known hold bytes for no one. */
type Totals = { calls: number; bytes: number; arriving: number; heldBy: Map<string, number> };

/** Tracks requests and bytes in flight. */
export function createLoad(limit: RoomLimit): Load {
  const totals: Totals = { calls: 0, bytes: 0, arriving: 0, heldBy: new Map() };
  return {
    begin: () => new RequestLoad(totals, limit),
    assertRoom(who) {
      if (isFull(totals) || !limit.hasPlace(who)) throw createOverloadFailure();
    },
  };
}

const isFull = ({ calls, bytes }: Totals): boolean => calls >= IN_FLIGHT_MAX || bytes >= IN_FLIGHT_BYTES_MAX;

/** One request's share of the load. */
class RequestLoad {
  readonly #totals: Totals;
  readonly #limit: RoomLimit;
  #calls = 0;
  #bytes = 0;
  #arriving = 0;
  #ended = false;
  #owner: Tenant;
  #leave: (() => void) | null = null;

  constructor(totals: Totals, limit: RoomLimit) {
    this.#totals = totals;
    this.#limit = limit;
  }

  /** Adds a piece of the body. If there is no room, removes the body from the count and throws `Failure('overloaded')`. */
  addArriving(added: number): void {
    this.#put(this.#calls, this.#bytes + added, this.#arriving + added);
    if (this.#arriving <= SMALL_BODY_BYTES || this.#totals.arriving <= ARRIVING_BYTES_MAX) return;
    this.#put(this.#calls, 0, 0);
    throw createOverloadFailure();
  }

  /** Takes a place among the requests in flight until the call ends. Throws `Failure('overloaded')` if there is none for `who`. */
  startCall(who: string): void {
    this.#leave = isFull(this.#totals) ? null : this.#limit.enter(who);
    if (this.#leave === null) throw createOverloadFailure();
    this.#put(1, this.#bytes, 0);
  }

  /** Ends the call, whose response has this many bytes. */
  endCall(responseBytes: number): void {
    this.#leave?.();
    this.#put(0, this.#bytes + responseBytes, this.#arriving);
  }

  addBytes(added: number): void {
    this.#put(this.#calls, this.#bytes + added, this.#arriving);
  }

  /**
   * Counts the request's bytes towards its caller. Throws `Failure('overloaded')` if the caller's requests hold more bytes than
   * are still free.
   */
  assignTo(tenant: Tenant): void {
    const { heldBy, bytes } = this.#totals;
    addHeld(heldBy, this.#owner, -this.#bytes);
    this.#owner = tenant;
    addHeld(heldBy, tenant, this.#bytes);
    // A dynamic threshold, as in fair-queue.ts: one caller leaves half of the room free, two leave a third.
    if (tenant !== undefined && (heldBy.get(tenant) ?? 0) > IN_FLIGHT_BYTES_MAX - bytes)
      throw new Failure('overloaded', 'Your earlier calls use up your share; try again in a moment.');
  }

  /** Removes everything this request added. */
  end(): void {
    this.#leave?.();
    this.#put(0, 0, 0);
    this.#ended = true;
  }

  #put(calls: number, bytes: number, arriving: number): void {
    if (this.#ended) return;
    const totals = this.#totals;
    totals.calls += calls - this.#calls;
    totals.bytes += bytes - this.#bytes;
    totals.arriving += arriving - this.#arriving;
    addHeld(totals.heldBy, this.#owner, bytes - this.#bytes);
    this.#calls = calls;
    this.#bytes = bytes;
    this.#arriving = arriving;
  }
}

function addHeld(heldBy: Map<string, number>, tenant: Tenant, bytes: number): void {
  if (tenant === undefined || bytes === 0) return;
  const now = (heldBy.get(tenant) ?? 0) + bytes;
  if (now === 0) heldBy.delete(tenant);
  else heldBy.set(tenant, now);
}

function createOverloadFailure(): Failure {
  return new Failure('overloaded', 'Too many requests are under way; try again in a moment.');
}

/** Limit of requests in flight; it adapts to the load of the process. */
export type RequestLimit = {
  /**
   * Takes a place for a request of `who`. Returns the function that releases it (further calls have no effect), or null if there is no
   * place.
   */
  enter(who: string): (() => void) | null;
  /** Returns true if `enter` would find a place now. */
  hasPlace(who: string): boolean;
  /** Returns true if fewer requests than usual may be in flight. */
  isLowered(): boolean;
  load(): { limit: number; taken: number };
};

/** Tells whether the process is overloaded; read once in each step. */
type Pressure = { isHigh(): boolean };

/**
 * Creates a limit that is at its maximum without pressure and lower under pressure, shared fairly between callers. `who` need not be
 * authenticated: it is only counted. Steps are made when requests arrive, so that an idle process does nothing.
 */
export function createRequestLimit(
  pressure: Pressure,
  now: () => number = () => performance.now(),
): RequestLimit {
  const limit = createAdaptiveLimit({ least: REQUESTS_LEAST, most: IN_FLIGHT_MAX });
  const held = new Map<string, number>();
  let taken = 0;
  let lastStep = now();

  const adapt = (): void => {
    const steps = Math.floor((now() - lastStep) / STEP_MS);
    if (steps === 0) return;
    lastStep = now();
    // Called in any case, because it measures the time since its last call.
    const isHigh = pressure.isHigh();
    const isCongested = isHigh && taken >= REQUESTS_FEW;
    // One measurement covers all steps since the last request: congestion shrinks the limit by one step, growth catches up on all of them.
    for (let step = 0; step < (isCongested ? 1 : Math.min(steps, STEPS_MAX)); step += 1)
      limit.step({ isCongested, running: taken });
  };
  const hasPlace = (own: number): boolean => {
    if (!limit.isLowered()) return true;
    const free = limit.now() - taken;
    // A dynamic threshold, as in fair-queue.ts.
    return own < free || (own === 0 && held.size < CALLERS_MAX);
  };
  const leave = (who: string): void => {
    taken -= 1;
    const own = (held.get(who) ?? 1) - 1;
    if (own === 0) held.delete(who);
    else held.set(who, own);
  };
  return {
    hasPlace(who) {
      adapt();
      return hasPlace(held.get(who) ?? 0);
    },
    enter(who) {
      adapt();
      const own = held.get(who) ?? 0;
      if (!hasPlace(own)) return null;
      taken += 1;
      held.set(who, own + 1);
      let isIn = true;
      return () => {
        if (isIn) leave(who);
        isIn = false;
      };
    },
    isLowered: limit.isLowered,
    load: () => ({ limit: limit.now(), taken }),
  };
}

/** A limit that follows what the machine can carry. */
type AdaptiveLimit = {
  now(): number;
  /** Returns true if the limit is below its maximum. */
  isLowered(): boolean;
  /** To be called at regular intervals with what was measured since the last call. */
  step(seen: { isCongested: boolean; running: number }): void;
};

/** Shrinks to a share of the running requests under congestion and grows again afterwards, as TCP windows do. */
function createAdaptiveLimit({ least, most }: { least: number; most: number }): AdaptiveLimit {
  let limit = most;
  return {
    now: () => limit,
    isLowered: () => limit < most,
    step({ isCongested, running }) {
      limit = isCongested
        ? Math.max(least, Math.floor(Math.min(limit, running) * SHRINK))
        : Math.min(most, Math.max(limit + GROW_MIN, Math.floor(limit * GROW)));
    },
  };
}

/** Creates a function that returns the share of time, since its last call, for which this thread had a core. */
export function createLoopShare(): () => number {
  const read = () => {
    const { user, system } = process.threadCpuUsage();
    return { cpuMs: (user + system) / 1_000, at: performance.now() };
  };
  let last = read();
  return () => {
    const before = last;
    last = read();
    return (last.cpuMs - before.cpuMs) / Math.max(1, last.at - before.at);
  };
}

/** Pressure is high while the event loop is behind or memory is short. It lowers the limit of requests only while many are in flight. */
export function createPressure(parts: {
  loopDelay: Pick<LoopDelay, 'ms'>;
  loopShare(): number;
  memory: Pick<MemoryRoom, 'isShort'>;
}): Pressure {
  const { loopDelay, loopShare, memory } = parts;
  return {
    isHigh() {
      const isBusy = loopShare() > BUSY_SHARE;
      const lateMs = loopDelay.ms();
      return (isBusy && lateMs > LATE_MS) || lateMs > VERY_LATE_MS || memory.isShort();
    },
  };
}

/**
 * Fair scheduling of requests on the event loop. All requests pass here before any lookup, so a caller is identified by its address and,
 * within that, by the key that it claims. While the loop has time, a request begins at once. Once the requests of one pass of the loop have
 * used up their slice, the others wait, and each pass begins requests of the callers that have used the least CPU time. A caller with
 * costly requests therefore delays only itself. Nothing is refused here: the limit of requests in flight bounds the queues.
 */
type LoopTurns = {
  /** Calls `begin` when the request may begin, which may be at once. */
  take(whose: Requester, begin: () => void): void;
  waiting(): number;
};

/** `claim`: the unchecked key that the request sends; empty if it sends none. */
type Requester = { address: string; claim: string };

type Loop = {
  /** Milliseconds. */
  now(): number;
  /** Calls a function once in the next pass of the event loop. */
  nextPass(run: () => void): void;
};

export function createLoopTurns({ now, nextPass }: Loop = EVENT_LOOP): LoopTurns {
  const addresses = createLevel<ReturnType<typeof createLevel<(() => void)[]>>>();
  let waiting = 0;
  let isRunning = false;
  let passBegan = 0;
  let batch = BATCH_MAX;
  /** Requesters whose request began in this pass. */
  let begun: Requester[] = [];

  const hasTime = (): boolean => begun.length < batch && (begun.length === 0 || now() - passBegan < SLICE_MS);
  const beginPass = (): void => {
    begun = [];
    passBegan = now();
    isRunning = true;
    nextPass(endPass);
  };
  const endPass = (): void => {
    const tookMs = now() - passBegan;
    if (tookMs > SLICE_MS) batch = Math.max(1, Math.floor(batch / 2));
    else if (tookMs < SLICE_MS / 2) batch = Math.min(BATCH_MAX, batch * 2);
    if (waiting === 0) {
      isRunning = false;
      addresses.clear();
      return;
    }
    chargeBegun(tookMs / begun.length);
    beginPass();
    while (waiting > 0 && hasTime()) beginNext();
  };
  const chargeBegun = (shareMs: number): void => {
    for (const { address, claim } of begun) {
      const claims = addresses.know(address, createLevel<(() => void)[]>);
      claims.know(claim, () => []);
      addresses.charge(address, shareMs);
      claims.charge(claim, shareMs);
    }
  };
  const beginNext = (): void => {
    const address = addresses.least();
    const claims = address === null ? null : addresses.of(address);
    const claim = claims?.least() ?? null;
    if (address === null || claims === null || claim === null) return;
    const line = claims.of(claim);
    const begin = line?.shift();
    if (line?.length === 0) claims.end(claim);
    if (claims.least() === null) addresses.end(address);
    waiting -= 1;
    begun.push({ address, claim });
    begin?.();
  };
  return {
    waiting: () => waiting,
    take({ address, claim }, begin) {
      if (!isRunning) beginPass();
      if (waiting === 0 && hasTime()) {
        begun.push({ address, claim });
        begin();
        return;
      }
      waiting += 1;
      addresses
        .begin(address, createLevel)
        .begin(claim, () => [])
        .push(begin);
    },
  };
}

/**
 * CPU time used by name, for one level of the hierarchy; some names are waiting. A new name starts with the usage of the one that began
 * last, so that no one accumulates credit.
 */
function createLevel<Below>() {
  const known = new Map<string, { used: number; below: Below }>();
  const waiting = new Set<string>();
  let floor = 0;
  const ensureEntry = (name: string, make: () => Below): Below => {
    const entry = known.get(name) ?? { used: floor, below: make() };
    known.set(name, entry);
    return entry.below;
  };
  return {
    know: ensureEntry,
    of: (name: string): Below | null => known.get(name)?.below ?? null,
    begin(name: string, make: () => Below): Below {
      const below = ensureEntry(name, make);
      waiting.add(name);
      return below;
    },
    end: (name: string): void => void waiting.delete(name),
    charge(name: string, ms: number): void {
      const entry = known.get(name);
      if (entry !== undefined) entry.used += ms;
    },
    /** Returns the waiting name with the least usage; among several, the one that has waited longest. */
    least(): string | null {
      let least: { name: string; used: number } | null = null;
      for (const name of waiting) {
        const used = known.get(name)?.used ?? 0;
        if (least === null || used < least.used) least = { name, used };
      }
      if (least !== null) floor = Math.max(floor, least.used);
      return least?.name ?? null;
    },
    clear(): void {
      known.clear();
      waiting.clear();
      floor = 0;
    },
  };
}
