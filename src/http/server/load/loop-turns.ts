import { performance } from 'node:perf_hooks';

/**
 * Turns of requests on the event loop. All requests pass here before anything of theirs is looked up, so a caller is known by its address and,
 * within that, by the key that it shows. While the loop has time, a request begins at once. Once the requests of one pass of the loop have used
 * up their slice, the others wait, and with each pass those of the callers begin that have used the least CPU time. A caller that sends costly
 * requests therefore waits for itself. Nothing is refused here: the limit of requests in flight bounds the lines.
 */
export type LoopTurns = {
  /** Calls `begin` when the request may begin, which may be at once. */
  take(whose: Requester, begin: () => void): void;
  waiting(): number;
};

/** `claim`: the key that the request shows, which nobody has checked; an empty text where it shows none. */
export type Requester = { address: string; claim: string };

type Loop = {
  /** Milliseconds. */
  now(): number;
  /** Calls a function once in the next pass of the event loop. */
  nextPass(run: () => void): void;
};

/** The requests that begin in one pass of the loop take about this long together; a single one may take longer. */
export const SLICE_MS = 10;
/** As many begin in a pass while each takes next to nothing. */
const BATCH_MAX = 64;

const EVENT_LOOP: Loop = { now: () => performance.now(), nextPass: (run) => void setImmediate(run) };

export function createLoopTurns({ now, nextPass }: Loop = EVENT_LOOP): LoopTurns {
  const addresses = createLevel<ReturnType<typeof createLevel<(() => void)[]>>>();
  let waiting = 0;
  let isRunning = false;
  let passBegan = 0;
  let batch = BATCH_MAX;
  /** Who began in this pass. */
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

/** Names with what they have used, of which some wait. Who comes anew has used as much as who began last, so that nobody saves up. */
function createLevel<Below>() {
  const known = new Map<string, { used: number; below: Below }>();
  const waiting = new Set<string>();
  let floor = 0;
  const know = (name: string, make: () => Below): Below => {
    const entry = known.get(name) ?? { used: floor, below: make() };
    known.set(name, entry);
    return entry.below;
  };
  return {
    know,
    of: (name: string): Below | null => known.get(name)?.below ?? null,
    begin(name: string, make: () => Below): Below {
      const below = know(name, make);
      waiting.add(name);
      return below;
    },
    end: (name: string): void => void waiting.delete(name),
    charge(name: string, ms: number): void {
      const entry = known.get(name);
      if (entry !== undefined) entry.used += ms;
    },
    /** Who waits and has used the least; the one that has waited longest of several. */
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
