import { performance } from 'node:perf_hooks';

/**
 * Fair scheduling of requests on the event loop. All requests pass here before any lookup, so a caller is identified by its address and,
 * within that, by the key that it claims. While the loop has time, a request begins at once. Once the requests of one pass of the loop have
 * used up their slice, the others wait, and each pass begins requests of the callers that have used the least CPU time. A caller with
 * costly requests therefore delays only itself. Nothing is refused here: the limit of requests in flight bounds the queues.
 */
export type LoopTurns = {
  /** Calls `begin` when the request may begin, which may be at once. */
  take(whose: Requester, begin: () => void): void;
  waiting(): number;
};

/** `claim`: the unchecked key that the request sends; empty if it sends none. */
export type Requester = { address: string; claim: string };

type Loop = {
  /** Milliseconds. */
  now(): number;
  /** Calls a function once in the next pass of the event loop. */
  nextPass(run: () => void): void;
};

/** Total time of the requests that begin in one pass of the loop, approximately; a single one may take longer. */
export const SLICE_MS = 10;
/** Maximum requests that begin in one pass. */
const BATCH_MAX = 64;

const EVENT_LOOP: Loop = { now: () => performance.now(), nextPass: (run) => void setImmediate(run) };

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
    for (const { address, claim } of begun) {
      const share = tookMs / begun.length;
      addresses.charge(address, share);
      addresses.of(address)?.charge(claim, share);
    }
    if (tookMs > SLICE_MS) batch = Math.max(1, Math.floor(batch / 2));
    else if (tookMs < SLICE_MS / 2) batch = Math.min(BATCH_MAX, batch * 2);
    if (waiting === 0) {
      isRunning = false;
      addresses.clear();
      return;
    }
    beginPass();
    while (waiting > 0 && hasTime()) beginNext();
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
        addresses.know(address, createLevel).know(claim, () => []);
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
